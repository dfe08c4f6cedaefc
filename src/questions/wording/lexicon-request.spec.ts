import { type LabelSchema } from '../../cypher/semantics/graph-schema.js';
import { lexiconRequest } from './lexicon-request.js';

const label = (name: string): LabelSchema => ({ name, aliases: [], displayProperty: null, keyProperties: [], properties: [], rowCount: 1 });
const linked = { text: '', mentions: [], unknown: [], today: '2026-11-30' };
const ask = (missed: string[], labels: string[]) =>
  lexiconRequest(missed, linked, { graphId: 7, schema: { labels: labels.map(label), edges: [] }, isValue: word => word === '清' });

describe('the request that makes a word a synonym', () => {
  it('names the likeliest name for the first word that may be one', () => {
    expect(ask(['c3', 'custmer'], ['Order', 'Customer'])!.en).toContain(
      'POST /api/graphs/7/lexicon {"entries":[{"kind":"label","name":"Customer","synonyms":["custmer"]}]}',
    );
    expect(ask(['c3', 'which'], ['Order'])).toBeNull();
    expect(ask(['清朝'], ['朝代'])).toBeNull();
    expect(ask(['明朝'], ['朝代'])!.zh).toContain('"synonyms":["明朝"]');
  });

  it('compares few words of a long question with the names', () => {
    const names = Array.from({ length: 200 }, (_, number) => `${'乙甲丙'.repeat(18)}${number}`);
    const normalized = jest.spyOn(String.prototype, 'toLowerCase');
    const words = Array.from({ length: 600 }, (_, number) => `w${number}`);
    ask(words, names);
    expect(normalized.mock.calls.length).toBeLessThan(5_000);
    normalized.mockRestore();
  });
});
