import fc from 'fast-check';
import pg from 'pg';
import { cloneDatabase } from '../../../../test/support/database.js';
import { mostParts, ValueTooDetailedError } from '../../../common/json/check-detail.js';
import { createGraphTables, graphTables } from '../../../database/graph-tables.js';
import { maxValueBytes } from '../../values/bounds.js';
import { tooLargeIn } from './bounded-value.js';
import { aLabel } from '../../../../test/support/graph-schema.js';
import { compilePlan } from './compile-plan.js';
import { decodeRows } from './decode-rows.js';
import { ParametersTooLargeError, ValueTooLargeError } from '../../too-large.errors.js';
import { parseSimpleQuery } from '../../plan/simple-query.js';
import { planCypher } from '../../plan/plan-cypher.js';

const runs = process.env.LONG_TESTS === '1' ? 400 : 150;
const seed = 20261122;

type Value = string | Value[];
/** An expression as text, and its value: null where a part of it is larger than a value may be. */
interface Sample {
  text: string;
  value: Value | null;
}

const texts: Record<string, string> = {
  t0: '',
  t1: 'a',
  t2: 'a,b,汉',
  t3: ','.repeat(300_000),
  t4: '汉字ab'.repeat(60_000),
  t5: 'x'.repeat(maxValueBytes - 1),
};

/** Bytes of a value as jsonb, alone and inside others: 4 for the length, 4 for the count, 4 for each entry. */
function jsonbBytes(value: Value): number {
  const container = (inner: Value): number =>
    typeof inner === 'string' ? Buffer.byteLength(inner) : 4 + inner.reduce((sum, each) => sum + 4 + container(each), 0);
  return typeof value === 'string' ? 12 + Buffer.byteLength(value) : 4 + container(value);
}

/** Bytes of a text[] of PostgreSQL. */
function arrayBytes(items: string[]): number {
  return items.reduce((sum, item) => sum + Math.ceil((4 + Buffer.byteLength(item)) / 4) * 4, 24);
}

/** Counts the commas and brackets of a list as JSON, including those inside its texts. A single text has no parts. */
function partsOf(value: Value): number {
  return typeof value === 'string' ? 0 : (JSON.stringify(value).match(/[,[{]/g) ?? []).length;
}

function sum(left: Value | null, right: Value | null): Value | null {
  if (left === null || right === null) return null;
  if (typeof left === 'string' && typeof right === 'string') {
    return Buffer.byteLength(left) + Buffer.byteLength(right) > maxValueBytes ? null : left + right;
  }
  if (jsonbBytes(left) + jsonbBytes(right) > maxValueBytes) return null;
  return [left, right].flat(1);
}

function replaced(args: (Value | null)[]): Value | null {
  const [text, from, to] = args;
  if (typeof text !== 'string' || typeof from !== 'string' || typeof to !== 'string') return null;
  const places = from === '' ? 0 : text.split(from).length - 1;
  if (Buffer.byteLength(text) + places * (Buffer.byteLength(to) - Buffer.byteLength(from)) > maxValueBytes) return null;
  return from === '' ? text : text.replaceAll(from, () => to);
}

function pieces(text: Value | null, separator: string): Value | null {
  if (typeof text !== 'string' || Buffer.byteLength(text) > maxValueBytes) return null;
  const items = text === '' ? [] : separator === '' ? [text] : text.split(separator);
  return arrayBytes(items) > maxValueBytes ? null : items;
}

const { text: textSample, any } = fc.letrec<{ text: Sample; list: Sample; any: Sample }>(tie => ({
  text: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(...Object.keys(texts)).map(name => ({ text: `n.${name}`, value: texts[name]! })),
    fc.constantFrom('', 'b', ',', '，').map(value => ({ text: `'${value}'`, value })),
    fc.constantFrom('t2', 't3').map(name => ({ text: `$${name}`, value: texts[name]! })),
    fc.tuple(tie('text'), tie('text')).map(([a, b]) => ({ text: `(${a.text} + ${b.text})`, value: sum(a.value, b.value) })),
    fc
      .tuple(tie('text'), fc.constantFrom('a', ',', '汉', ''), fc.constantFrom('', 'z', ',,', 'abcde'))
      .map(([a, from, to]) => ({ text: `replace(${a.text}, '${from}', '${to}')`, value: replaced([a.value, from, to]) })),
    fc.tuple(tie('text'), fc.constantFrom(0, 3, 900_000)).map(([a, count]) => ({
      text: `left(${a.text}, ${count})`,
      value: typeof a.value === 'string' ? [...a.value].slice(0, count).join('') : null,
    })),
  ),
  list: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc
      .tuple(tie('text'), fc.constantFrom(',', '', 'x'))
      .map(([a, separator]) => ({ text: `split(${a.text}, '${separator}')`, value: pieces(a.value, separator) })),
    fc.array(tie('any'), { minLength: 1, maxLength: 3 }).map(items => {
      const values = items.map(item => item.value);
      const whole = values.every(value => value !== null) ? values : null;
      const bytes = whole?.reduce<number>((total, value) => total + jsonbBytes(value), 0) ?? 0;
      return { text: `[${items.map(item => item.text).join(', ')}]`, value: bytes > maxValueBytes ? null : whole };
    }),
    fc.tuple(tie('list'), tie('any')).map(([a, b]) => ({ text: `(${a.text} + ${b.text})`, value: sum(a.value, b.value) })),
    fc.tuple(tie('any'), tie('list')).map(([a, b]) => ({ text: `(${a.text} + ${b.text})`, value: sum(a.value, b.value) })),
  ),
  any: fc.oneof(tie('text'), tie('list')),
}));

describe('a value that grows', () => {
  let database: Awaited<ReturnType<typeof cloneDatabase>>;
  let client: pg.Client;

  beforeAll(async () => {
    database = await cloneDatabase();
    client = new pg.Client(database.url);
    await client.connect();
    await client.query(createGraphTables(1));
    await client.query(
      `INSERT INTO ${graphTables(1).nodes} (id, label, key, display, properties, run_id) SELECT i, 'N', i::text, '', $1, 1 FROM generate_series(1, 3) AS i`,
      [JSON.stringify(texts)],
    );
  });

  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  async function run(cypher: string, typed: boolean, parameters: Record<string, unknown> = texts): Promise<unknown[][]> {
    const properties = Object.keys(texts).map(name => ({ name, type: 'string' }));
    const schema = typed ? { labels: [aLabel('N', { properties })], edges: [] } : { labels: [], edges: [] };
    const compiled = compilePlan(planCypher(parseSimpleQuery(cypher), schema, parameters), { graphId: 1, limit: 10 });
    const { rows } = await client.query<(string | null)[]>({ text: compiled.sql, values: compiled.parameters, rowMode: 'array' });
    return (await decodeRows(compiled, rows)).rows;
  }

  async function outcome(work: Promise<unknown>): Promise<unknown> {
    return work.catch((error: unknown) => {
      if (
        error instanceof ValueTooLargeError ||
        error instanceof ParametersTooLargeError ||
        error instanceof ValueTooDetailedError ||
        tooLargeIn(error)
      )
        return 'too large';
      throw error;
    });
  }

  it(`matches a naive evaluator, or fails: never less (${runs} expressions, seed ${seed})`, async () => {
    let large = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(textSample, any), fc.boolean(), async ({ text, value }, typed) => {
        // Its size is compared too, because a diff of megabytes is of no use.
        const found = (await outcome(run(`MATCH (n:N) RETURN ${text} AS v LIMIT 1`, typed))) as unknown[][] | string;
        if (value === null) large += 1;
        const expected = value === null || partsOf(value) > mostParts ? 'too large' : JSON.stringify([[value]]);
        const actual = typeof found === 'string' ? found : JSON.stringify(found);
        if (actual !== expected)
          throw new Error(`${actual.slice(0, 200)} (${actual.length}), not ${expected.slice(0, 200)} (${expected.length})`);
      }),
      { numRuns: runs, seed },
    );
    expect(large).toBeGreaterThan(runs / 20);
    expect(large).toBeLessThan(runs / 2);
  }, 120_000);

  it('is refused with its size and its place in the text', async () => {
    const failure = await run('MATCH (n) RETURN n.t1 + n.t5 + n.t1', true).catch(tooLargeIn);
    expect(failure).toEqual({ gathered: false, bytes: maxValueBytes + 1, position: 29 });
  });

  it('is not built when the query itself shows its size', async () => {
    const guarded = 'MATCH (n) RETURN CASE WHEN size(n.t5) > 100 THEN left(n.t5, 3) ELSE n.t5 + n.t5 END AS v LIMIT 1';
    expect(await run(guarded, true)).toEqual([['xxx']]);
  });

  it('does not become large through a parameter that is named many times', async () => {
    const list = (names: string) => run(`RETURN [${names}] AS v`, true);
    expect(await outcome(list(Array.from({ length: 900 }, () => '$t5').join(', ')))).toBe('too large');
    expect(await outcome(run(`RETURN ${Array.from({ length: 60 }, () => '$t4').join(' + ')} AS v`, true))).toBe('too large');
    expect(await list('$t1, $t1')).toEqual([[['a', 'a']]]);
  });

  it('is measured before collect, min and max gather it', async () => {
    const large = 'left(n.t5, 1000000)';
    expect(await run(`MATCH (n) RETURN size(collect(${large})) AS v`, false)).toEqual([[3]]);
    await client.query(
      `INSERT INTO ${graphTables(1).nodes} (id, label, key, display, properties, run_id) SELECT i, 'M', i::text, '', jsonb_build_object('t5', repeat('x', 1000000)), 1 FROM generate_series(4, 68) AS i`,
    );
    const failure = await run(`MATCH (n) RETURN collect(${large}) AS v`, false).catch(tooLargeIn);
    expect(failure).toEqual({ gathered: true, bytes: 68 * 1_000_044, position: 17 });
    expect(await outcome(run(`MATCH (n) RETURN id(n), collect(properties(n)) AS v`, false))).toBe('too large');
    expect(await outcome(run(`MATCH (n) RETURN max([n.t5]) AS v`, false))).toBe('too large');
    // Equal values are gathered once, and the largest text is found without gathering.
    expect(await run(`MATCH (n) RETURN size(collect(DISTINCT ${large})) AS v`, false)).toEqual([[1]]);
    expect(await run(`MATCH (n) RETURN size(max(n.t5)) AS v`, false)).toEqual([[maxValueBytes - 1]]);
  });
});
