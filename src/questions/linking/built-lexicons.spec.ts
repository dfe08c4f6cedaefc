import { Pace } from '../../common/turns/pace.js';
import { type GraphSchema } from '../../cypher/semantics/graph-schema.js';
import { type MetricEntry, type Synonym } from '../vocabulary.js';
import { BuiltLexicons } from './built-lexicons.js';

const metric = (name: string, aliases: string[] = []): MetricEntry => ({
  ...{ id: 1, name, aliases, unit: null, dimensions: [], is_additive: true, counts: null, has_time: false, needs_periods: false },
});

describe('BuiltLexicons', () => {
  const labelled = (name: string): GraphSchema => ({
    labels: [{ name, aliases: [], properties: [], keyProperties: [], displayProperty: null, rowCount: 0 }],
    edges: [],
  });
  const schema = labelled('Ship');
  const get = (lexicons: BuiltLexicons, metrics: MetricEntry[], synonyms: Synonym[] = [], own = schema) =>
    lexicons.get(1, own, metrics, synonyms, new Pace());

  it('builds one again only for other names', async () => {
    const lexicons = new BuiltLexicons();
    const first = await get(lexicons, [metric('sales')]);
    expect(await get(lexicons, [metric('sales')])).toBe(first);
    const renamed = await get(lexicons, [metric('revenue')]);
    expect([first.find('sales').length, renamed.find('sales').length, renamed.find('revenue').length]).toEqual([1, 0, 1]);
    const called = await get(lexicons, [metric('revenue')], [{ kind: 'label', name: 'Ship', synonym: 'vessel' }]);
    expect([renamed.find('vessel').length, called.find('vessel').length]).toEqual([0, 1]);
    const other = await get(lexicons, [metric('revenue')], [], labelled('Port'));
    expect([other.find('ship').length, other.find('port').length]).toEqual([0, 1]);
  });

  it('builds none of more meanings than it could keep', async () => {
    const property = { name: 'p', type: 'string' };
    const labels = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ ...labelled(`L${at}`).labels[0]!, properties: [property] }));
    const synonyms = Array.from({ length: 200 }, (_, at): Synonym => ({ kind: 'property', name: 'p', synonym: `word ${at}` }));
    const build = (count: number) => get(new BuiltLexicons(), [], synonyms, { labels: labels(count), edges: [] });
    expect((await build(20)).find('word 7')).toHaveLength(20);
    await expect(build(1_000)).rejects.toMatchObject({ status: 422, code: 'too_many_meanings' });
  });
});
