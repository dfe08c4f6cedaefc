import { emptyGraph } from '../../prepare-cypher.js';
import { parseCypher } from '../../syntax/parse-cypher.js';
import { prepareInMemory } from './run-in-memory.js';

function rowsOf(text: string, heldBytes = 1e6): unknown[] {
  const run = { parameters: new Map(), limits: { steps: 1e6, heldBytes }, now: { epochNanoseconds: 0n, timeZone: 'UTC' } };
  return [...prepareInMemory(parseCypher(text), emptyGraph, run).rows()].flatMap(row => (row === null ? [] : [row.values]));
}

describe('ORDER BY with LIMIT', () => {
  const sorted = 'UNWIND range(0, 20000) AS i WITH i, (i * 7919) % 1009 AS k ORDER BY k DESC SKIP 1 LIMIT 40 RETURN i, k';

  it('keeps the first of rows with equal keys, as a sort of all rows does', () => {
    const all = Array.from({ length: 20_001 }, (_, i) => [BigInt(i), BigInt((i * 7919) % 1009)] as const);
    all.sort(([, a], [, b]) => Number(b - a));
    expect(rowsOf(sorted)).toEqual(all.slice(1, 41));
  });

  it('holds about the rows that are wanted', () => {
    expect(rowsOf(sorted, 500_000)).toHaveLength(40);
    expect(() => rowsOf(sorted.replace('LIMIT 40', ''), 500_000)).toThrow('500000 bytes');
  });
});
