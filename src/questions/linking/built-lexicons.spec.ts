import { Pace } from '../../common/turns/pace.js';
import { type GraphSchema } from '../../cypher/semantics/graph-schema.js';
import { type MetricEntry, type Synonym } from '../vocabulary.js';
import { BuiltLexicons } from './built-lexicons.js';

const metric = (name: string, aliases: string[] = []): MetricEntry => ({
  ...{ id: 1, name, aliases, unit: null, dimensions: [], is_additive: true, has_time: false, needs_periods: false },
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
});
