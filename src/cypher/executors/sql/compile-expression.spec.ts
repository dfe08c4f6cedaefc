import pg from 'pg';
import { createGraphTables, graphTables } from '../../../database/graph-tables.js';
import { cloneDatabase } from '../../../../test/support/database.js';
import { aLabel, anEdge } from '../../../../test/support/graph-schema.js';
import { compilePlan } from './compile-plan.js';
import { CypherError } from '../../syntax/cypher.errors.js';
import { decodeRows } from './decode-rows.js';
import { functionNames } from '../../semantics/functions.js';
import { parseSimpleQuery } from '../../plan/simple-query.js';
import { planCypher } from '../../plan/plan-cypher.js';

const queries = process.env.LONG_TESTS === '1' ? 4_000 : 1_500;
const seed = 20261120;

/** Values of every kind, under names whose declared type may differ from the value's. */
const values = [
  '1',
  '0',
  '-3',
  '2.50',
  '1e300',
  '9223372036854775807',
  '"x"',
  '""',
  '"12"',
  '"2020-02-30"',
  '"供应商"',
  'true',
  'false',
  '[1,2]',
  '[]',
  '{"a":1}',
  '[null,"a"]',
];
const types = ['int', 'decimal(10,2)', 'string', 'boolean', 'date', 'datetime', 'json', 'string[]'];

/** A small reproducible generator (mulberry32). */
function randomFrom(start: number): (below: number) => number {
  let state = start;
  return below => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

describe('a random query', () => {
  let database: Awaited<ReturnType<typeof cloneDatabase>>;
  let client: pg.Client;

  beforeAll(async () => {
    database = await cloneDatabase();
    client = new pg.Client(database.url);
    await client.connect();
    await client.query("SET statement_timeout = '20s'");
    const { nodes, edges } = graphTables(1);
    await client.query(createGraphTables(1));
    for (const [i, value] of values.entries()) {
      const properties = `{${types.map((_, j) => `"p${j}":${values[(i + j) % values.length]}`).join(',')},"q":${value}}`;
      await client.query(
        `INSERT INTO ${nodes} (id, label, key, display, properties, run_id) VALUES ($1::int, 'N', $1::int::text, '', $2, 1)`,
        [i + 1, properties],
      );
      await client.query(`INSERT INTO ${edges} (type, source_id, target_id, key, properties, run_id) VALUES ('R', $1, $2, '', $3, 1)`, [
        i + 1,
        1 + ((i * 5) % values.length),
        properties,
      ]);
    }
  });

  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  it(`is refused as a CypherError or runs: PostgreSQL never fails on it (${queries} queries, seed ${seed})`, async () => {
    const random = randomFrom(seed);
    const pick = <T>(items: readonly T[]): T => items[random(items.length)]!;
    const atom = (): string =>
      pick([
        () => `n.p${random(types.length)}`,
        () => `n.p${random(types.length)}`,
        () => `r.p${random(types.length)}`,
        () => pick(['n.q', 'm.q', 'r.p0', 'n.q']),
        () => pick(['n.q', 'm.q', 'r.p0', 'm.p3']),
        () => pick(['n.q', 'm.q', 'r.p0', 'm.p5']),
        () => 'n.缺',
        () =>
          pick([
            '1',
            '0',
            '-2',
            '2.5',
            '1e200',
            '9223372036854775807',
            "'x'",
            "''",
            "'供'",
            'true',
            'false',
            'null',
            '[1, null]',
            '[]',
            "{a: 'b'}",
            'n',
            'r',
            'm',
          ]),
        () => pick(['$int', '$text', '$list', '$map', '$null', 'id(n)', "date('2020-01-01')", 'labels(n)', 'startNode(r)']),
      ])();
    const expression = (depth: number): string => {
      if (depth === 0) return atom();
      const inner = () => expression(random(depth));
      return pick([
        atom,
        () => `(${inner()} ${pick(['+', '-', '*', '/', '%', '^', '+'])} ${inner()})`,
        () => `(${inner()} ${pick(['=', '<>', '<', '<=', '>', '>=', 'IN', 'STARTS WITH', 'ENDS WITH', 'CONTAINS'])} ${inner()})`,
        () => `(${inner()} ${pick(['AND', 'OR', 'XOR'])} ${inner()})`,
        () => `(${inner()} IS ${pick(['', 'NOT '])}NULL)`,
        () => `(${pick(['NOT ', '- ', '+ '])}${inner()})`,
        () => `${pick(functionNames)}(${Array.from({ length: 1 + random(3) }, atom).join(', ')})`,
        () =>
          `${pick(['coalesce', 'size', 'toUpper', 'toInteger', 'toFloat', 'toString', 'abs', 'round', 'head', 'date', 'trim', 'sqrt', 'keys'])}(${inner()})`,
        () => `${pick(['left', 'right', 'substring', 'split', 'round'])}(n.q, ${inner()})`,
        () => `CASE ${pick([inner(), ''])} WHEN ${inner()} THEN ${inner()} WHEN ${inner()} THEN ${inner()} ELSE ${inner()} END`,
        () => `[${inner()}, ${inner()}]`,
        () => `{a: ${inner()}, b: ${inner()}}.${pick(['a', 'b', 'c', 'year'])}`,
        () => `(${inner()})[${inner()}]`,
        () => `(${inner()})[${inner()}..${inner()}]`,
      ])();
    };
    const item = (depth: number): string =>
      pick([
        () => expression(depth),
        () => `${pick(['count', 'sum', 'avg', 'min', 'max', 'collect'])}(${pick(['', 'DISTINCT '])}${expression(depth)})`,
      ])();
    const schemas = [
      { labels: [], edges: [] },
      { labels: [], edges: [] },
      {
        labels: [aLabel('N', { properties: types.map((type, i) => ({ name: `p${i}`, type })) })],
        edges: [anEdge('R', 'N', 'N', { properties: types.map((type, i) => ({ name: `p${i}`, type })) })],
      },
    ];
    const parameters = { int: 3, text: '12', list: [1, 'a', null], map: { a: [1] }, null: null };
    let ran = 0;
    const failures: string[] = [];
    for (let i = 0; i < queries; i += 1) {
      const order = pick(['', ` ORDER BY ${pick(['a', 'a', expression(2), item(1)])}${pick(['', ' DESC'])}`]);
      const where = pick(['', ` WHERE ${expression(2)}`]);
      const query = `MATCH (n:N)-[r]${pick(['->', '-'])}(m)${where} RETURN ${pick(['', 'DISTINCT '])}${item(3)} AS a${pick(['', `, ${item(1)} AS b`])}${order}`;
      try {
        const compiled = compilePlan(planCypher(parseSimpleQuery(query), pick(schemas), parameters), { graphId: 1, limit: 20 });
        const { rows } = await client.query<(string | null)[]>({ text: compiled.sql, values: compiled.parameters, rowMode: 'array' });
        await decodeRows(compiled, rows);
        ran += 1;
      } catch (error) {
        if (!(error instanceof CypherError)) failures.push(`${query} — ${(error as Error).message}`);
      }
    }
    expect(failures).toEqual([]);
    expect(ran).toBeGreaterThan(queries / 8);
  }, 200_000);
});
