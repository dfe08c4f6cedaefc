import { type CypherValue } from '../../cypher/values/cypher-value.js';
import { atOnce } from '../../text/steps.js';
import { type ShownElements, toAnswerValues } from './answer-values.js';

const shown: ShownElements = { nodes: new Map(), edges: new Map() };

describe('toAnswerValues', () => {
  it('shows what lists and maps hold', () => {
    const map = new Map<string, CypherValue>([
      ['a', [1n, [2n ** 60n]]],
      ['b', new Map([['c', NaN]])],
    ]);
    expect(atOnce(toAnswerValues([map, null], shown))).toEqual([{ a: [1, ['1152921504606846976']], b: { c: 'NaN' } }, null]);
  });

  it.each([
    ['a list', Array.from({ length: 10_000 }, (_, i) => BigInt(i))],
    ['a list of lists', Array.from({ length: 100 }, () => Array.from({ length: 100 }, (_, i) => BigInt(i)))],
    ['a map', new Map(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, true] as const))],
  ])('may pause within %s', (_, value) => {
    expect([...toAnswerValues([value], shown)].length).toBeGreaterThan(30);
  });
});
