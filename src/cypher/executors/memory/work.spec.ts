import { parseCypher } from '../../syntax/parse-cypher.js';
import { emptyGraph } from '../../prepare-cypher.js';
import { prepareInMemory } from './run-in-memory.js';
import { Work } from './work.js';

const limits = { steps: 30_000_000, heldBytes: 67_108_864 };

/** Runs a query that matches nothing. Returns its values, and how often it paused. */
function run(text: string): { values: unknown[]; pauses: number } {
  const now = { epochNanoseconds: 0n, timeZone: 'UTC' };
  const prepared = prepareInMemory(parseCypher(text), emptyGraph, { parameters: new Map(), limits, now });
  let pauses = 0;
  const values: unknown[] = [];
  for (const row of prepared.rows()) {
    if (row === null) pauses += 1;
    else values.push(...row.values);
  }
  return { values, pauses };
}

/** A text of half a million characters. */
const long = "reduce(s = 'abcdefgh', i IN range(1, 16) | s + s)";

describe('the work of one expression', () => {
  it.each([
    ['a list that grows by copying it', 'RETURN size(reduce(l = [1], x IN range(1, 120000) | l + [x])) AS n'],
    ['calls with a long text', `WITH ${long} AS s RETURN all(x IN range(1, 100000) WHERE size(toUpper(s)) > 0) AS n`],
    ['looking for a part in a long text', `WITH ${long} AS s RETURN all(x IN range(1, 100000) WHERE NOT s CONTAINS 'z') AS n`],
    ['looking for an item in a long list', 'WITH range(1, 100000) AS l RETURN all(x IN range(1, 100000) WHERE NOT -x IN l) AS n'],
    ['slices', 'WITH range(1, 100000) AS l RETURN all(x IN range(1, 100000) WHERE size(l[1..]) > 0) AS n'],
    ['comparisons', 'WITH range(1, 100000) AS l, range(1, 100000) AS m RETURN all(x IN range(1, 100000) WHERE l = m) AS n'],
  ])('ends where it is too much: %s', (_, text) => {
    expect(() => run(text)).toThrow(expect.objectContaining({ code: 'query_too_much_work' }));
  });

  it.each([
    ['a list of long texts', `WITH ${long} AS s RETURN size([x IN range(1, 100000) | s + toString(x)]) AS n`],
    ['a literal of long texts', `WITH ${long} AS s RETURN size([${Array.from({ length: 500 }, () => 'toUpper(s)').join()}]) AS n`],
  ])('refuses %s before it is built', (_, text) => {
    expect(() => run(text)).toThrow(expect.objectContaining({ code: 'value_too_large' }));
  });

  it('counts neither size() nor an item of a long list as going through it', () => {
    const text = 'WITH range(1, 10000) AS l RETURN all(x IN range(1, 10000) WHERE l[x - 1] = x AND size(l) = 10000) AS n';
    expect(run(text).values).toEqual([true]);
  });

  it('pauses after each row that went through a long list', () => {
    const { values, pauses } = run('WITH range(1, 130000) AS l UNWIND range(1, 20) AS x RETURN count(DISTINCT l) AS n');
    expect([values, pauses >= 20]).toEqual([[1n], true]);
  });
});

describe('Work', () => {
  it('ends an expression whose steps take too long, and starts the time anew at each pause', () => {
    let ms = 0;
    const work = new Work(limits, () => ms);
    const takeSteps = (stepMs: number) => {
      for (let i = 0; i < 64; i++, ms += stepMs) work.step();
    };
    takeSteps(20);
    work.resume();
    takeSteps(20);
    work.resume();
    expect(() => takeSteps(40)).toThrow(
      expect.objectContaining({ code: 'query_too_much_work', context: expect.objectContaining({ limit_ms: 2_000 }) }),
    );
  });

  it('is due when few rows took long', () => {
    let ms = 0;
    const work = new Work(limits, () => ms);
    const pausesIn = (rowMs: number) => Array.from({ length: 32 }, () => ((ms += rowMs), work.row(1), work.isDue)).filter(Boolean).length;
    expect(pausesIn(0)).toBe(0);
    expect(pausesIn(1)).toBeGreaterThan(0);
  });
});
