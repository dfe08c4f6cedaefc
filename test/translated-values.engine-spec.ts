import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { compileMetrics } from '../src/metrics/plan/compile-metric.js';
import { type MetricBinding } from '../src/metrics/plan/metric-binding.js';
import { resolveMetric } from '../src/metrics/plan/resolve-metric.js';
import { type CompiledStatement } from '../src/metrics/plan/sql-assembly.js';
import { loadSqlParser } from '../src/sql-guard/sql-parser.js';
import { type WarehouseClient } from '../src/warehouse/clients/warehouse.client.js';
import { cloneDatabase } from './support/database.js';
import { nothing } from './support/metric-tables.js';
import { withoutZeros } from './support/sales-tables.js';
import { describeOnEngines, type ForeignEngine, runTranslated, startEngines } from './support/translations.js';

type Place = 'postgres' | ForeignEngine['dialect'];

/**
 * Texts that functions may treat differently: empty, with outer spaces, with characters of one to four bytes, with one character of two
 * code points, and with signs that patterns use.
 */
const texts = [
  '',
  ' ',
  'tea',
  'Tea',
  ' tea ',
  'tea\u00a0',
  '\u3000茶',
  '茶叶',
  'e\u0301te',
  'été',
  '👍🏽 ok',
  'a%b',
  'a_b',
  'a\\b',
  "o'clock",
  '12',
  null,
];
const decimals = ['0', '0.5', '-0.5', '1.5', '-1.5', '2.5', '12.3456', '-12.3456', '99999999.9999', '-99999999.9999', null];
const integers = [0, 1, -1, 2, -2, 7, -7, 8, 2_147_483_647, -2_147_483_648, null];
const dates = ['2024-02-29', '2023-12-31', '2024-01-01', '1970-01-01', '2026-06-15', '1999-03-31', null];
const times = ['2024-02-29 23:59:59', '2023-12-31 00:00:00', '1970-01-01 12:00:00', '2026-06-15 08:30:00', null];

const at = <T>(list: readonly T[], index: number): T => list[index % list.length]!;
const rows = Array.from({ length: 119 }, (_, index) => ({
  id: index,
  a: at(decimals, index),
  b: at(decimals, index * 3 + 1)?.replace(/(\.\d)\d*$/, '$1') ?? null,
  i: at(integers, index + Math.floor(index / 11)),
  j: at(integers, index * 7 + 3),
  t: at(texts, index),
  u: at(texts, index * 5 + Math.floor(index / 17)),
  d: at(dates, index),
  e: at(dates, index * 2 + Math.floor(index / 7)),
  at: at(times, index),
  f: at([0.1, 2.675, -3.5, 1e6, null], index),
}));

const columns = [
  { name: 'id', type: 'integer' },
  { name: 'a', type: 'numeric(12,4)' },
  { name: 'b', type: 'numeric(9,1)' },
  { name: 'i', type: 'integer' },
  { name: 'j', type: 'bigint' },
  { name: 't', type: 'text' },
  { name: 'u', type: 'text' },
  { name: 'd', type: 'date' },
  { name: 'e', type: 'date' },
  { name: 'at', type: 'timestamp' },
  { name: 'f', type: 'double precision' },
];

const create: Record<Place, string> = {
  postgres: `CREATE TABLE mirror.odd (id int, a numeric(12,4), b numeric(9,1), i int, j bigint, t text, u text, d date, e date, at timestamp, f float8)`,
  duckdb: `CREATE TABLE odd (id int, a decimal(12,4), b decimal(9,1), i int, j bigint, t text, u text, d date, e date, "at" timestamp, f double)`,
  mysql: `CREATE TABLE odd (id int, a decimal(12,4), b decimal(9,1), i int, j bigint, t text, u varchar(20), d date, e date, at datetime, f double) CHARACTER SET utf8mb4`,
  clickhouse: `CREATE TABLE odd (id Int32, a Nullable(Decimal(12,4)), b Nullable(Decimal(9,1)), i Nullable(Int32), j Nullable(Int64), t Nullable(String),
    u Nullable(String), d Nullable(Date32), e Nullable(Date32), at Nullable(DateTime64(0, 'UTC')), f Nullable(Float64)) ENGINE = MergeTree ORDER BY id`,
};

function literal(value: unknown, place: Place): string {
  if (value === null) return 'NULL';
  if (typeof value !== 'string') return JSON.stringify(value);
  const escaped = place === 'mysql' || place === 'clickhouse' ? value.replaceAll('\\', '\\\\') : value;
  return `'${escaped.replaceAll("'", "''")}'`;
}

function fill(place: Place): string[] {
  const list = rows.map(
    row =>
      `(${Object.values(row)
        .map(value => literal(value, place))
        .join(', ')})`,
  );
  return [create[place], `INSERT INTO ${place === 'postgres' ? 'mirror.' : ''}odd VALUES ${list.join(', ')}`];
}

/** Expressions by the type of their values. */
const expressions = {
  numeric: [
    'NULLIF(o.a, 0.5)',
    'GREATEST(o.a, o.b, 0)',
    'LEAST(o.i, o.j)',
    'FLOOR(o.a)',
    'CEIL(o.a * -1.5)',
    'CEILING(o.f::text::numeric)',
    'o.i % 3',
    'MOD(o.j, NULLIF(o.i, 0))',
    'o.j % 1000',
    'o.i % NULLIF(o.j, 0)',
    'o.a::int4',
    'o.a::int8',
    'o.a::numeric(12,1)',
    'o.b::numeric(14,3)',
    'o.i::int8',
    'LENGTH(o.t)',
    'CHAR_LENGTH(o.t || o.u)',
    `POSITION('茶' IN o.t)`,
    `STRPOS(o.t, 'e')`,
    'o.d - o.e',
    `o.d - DATE '2024-03-01'`,
  ],
  text: [
    'LEFT(o.t, 2)',
    'RIGHT(o.t, 2)',
    'SUBSTRING(o.t FROM 2 FOR 3)',
    'SUBSTR(o.t, 3)',
    'LEFT(o.t, 0)',
    'o.t || o.u',
    `CONCAT(o.t, '-', o.u)`,
    'TRIM(o.t)',
    'LTRIM(o.t)',
    `TRIM(TRAILING ' ' FROM o.t)`,
    `REPLACE(o.t, 'e', '茶')`,
    `REPLACE(o.t, '\\', '')`,
    'o.i::text',
    'o.j::text',
    `COALESCE(NULLIF(TRIM(o.t), ''), 'none')`,
  ],
  boolean: [
    'o.t IS DISTINCT FROM o.u',
    `o.t IS NOT DISTINCT FROM 'tea'`,
    'o.t IS DISTINCT FROM NULL',
    'o.a IS NOT DISTINCT FROM o.b',
    `o.t LIKE 'te%'`,
    `o.t LIKE '%a'`,
    `o.t LIKE '%e%'`,
    `o.t LIKE 'tea'`,
    `o.t LIKE ''`,
    `o.t NOT LIKE 'a\\_%'`,
    `o.t LIKE '%\\%%'`,
    `STARTS_WITH(o.t, 'T')`,
    '(o.i > 0) IS NOT TRUE',
    'o.a BETWEEN o.b AND 12.5',
    `o.u IN ('', ' ', '茶叶')`,
    'o.i IN (1, 9223372036854775807)',
    'o.a IN (1.5, -0.5, 123456789012345678.25)',
    'o.i NOT IN (1, 12345678901234567890)',
  ],
  date: [
    'o.d + 30',
    'o.d - 365',
    'GREATEST(o.d, o.e)',
    `LEAST(o.d, DATE '2024-01-01')`,
    `DATE_TRUNC('month', o.d)::date`,
    `DATE_TRUNC('week', o.d)::date`,
    `DATE_TRUNC('quarter', o.at)::date`,
  ],
};

const refusedExpressions = [
  ['LOWER(o.t)', 'LOWER'],
  [`o.t ILIKE 'te%'`, 'ILIKE'],
  [`o.t LIKE 't_a'`, 'LIKE with this pattern'],
  [`o.t LIKE 't%a'`, 'LIKE with this pattern'],
  ['GREATEST(o.t, o.u)', 'GREATEST of this form'],
  ['LEFT(o.t, -1)', 'LEFT of this form'],
  ['SUBSTR(o.t, 0, 2)', 'SUBSTR of this form'],
  [`SUBSTRING(o.t FROM 'e+')`, 'SUBSTRING of this form'],
  [`STRPOS(o.t, '')`, 'STRPOS of this form'],
  [`BTRIM(o.t, 'ab')`, 'TRIM of this form'],
  ['o.a || o.t', 'a search in a value that is not text'],
  ['FLOOR(o.i)', 'FLOOR of this form'],
  ['o.i / o.j', '/'],
  ['o.a % 3', '% of this form'],
  ['o.i % o.j', '% of this form'],
  ['(o.a * 10)::int4', 'a cast to a number of fewer digits'],
  ['o.j::int4', 'a cast to a number of fewer digits'],
  ['o.a::numeric(5,2)', 'a cast to a number of fewer digits'],
  ['o.t::int4', 'a cast of text to int4'],
  [`DATE_TRUNC('month', o.d)`, 'DATE_TRUNC of this form'],
] as const;

const quantiles = [
  'MEDIAN(i)',
  'MEDIAN(a WHERE i > 0)',
  'MEDIAN(f)',
  ...['0.07', '0.29', '0.999'].flatMap(share => [
    `PERCENTILE(id, ${share}, DISC)`,
    `PERCENTILE(a, ${share}, DISC)`,
    `PERCENTILE(i, ${share})`,
    `PERCENTILE(id, ${share}, DISC WHERE id < 100)`,
  ]),
  'PERCENTILE(d, 0.3, DISC)',
  'PERCENTILE(at, 0.9, DISC)',
  'PERCENTILE(a, 0.5, DISC WHERE i > 2147483647)',
  'PERCENTILE(a, 0.25) + SUM(a) + COUNT_DISTINCT(t) + MEDIAN(b)',
];

describeOnEngines('The values of expressions', () => {
  let database: Awaited<ReturnType<typeof cloneDatabase>>;
  let postgres: pg.Client;
  let engines: { engine: ForeignEngine; client: WarehouseClient }[] = [];

  beforeAll(async () => {
    await loadSqlParser();
    database = await cloneDatabase();
    postgres = new pg.Client(database.url);
    await postgres.connect();
    await postgres.query(`SET timezone = 'Asia/Shanghai'`);
    for (const statement of fill('postgres')) await postgres.query(statement);
    const started = await startEngines();
    for (const engine of started) await engine.run(...fill(engine.dialect));
    engines = await Promise.all(started.map(async engine => ({ engine, client: await engine.open() })));
  });
  afterAll(async () => {
    await postgres?.end();
    await database?.drop();
    for (const { engine, client } of engines) {
      await client.close();
      await engine.close();
    }
  });

  function compile(
    engine: ForeignEngine | null,
    formula: string,
    dimensions: { name: string; expression: string; type: string }[],
  ): CompiledStatement {
    const binding: MetricBinding = {
      connection_id: 1,
      ...(engine && { dialect: engine.dialect }),
      fact: { alias: 'o', source: { schema: engine?.schema ?? 'mirror', table: 'odd' }, columns },
      grain: ['o.id'],
      time: null,
      columns: columns.map(({ name, type }) => ({
        name,
        expression: `o.${name}`,
        type: /^(int|big|num|dou)/.test(type) ? 'numeric' : type,
      })),
      dimensions: dimensions.map(each => ({ ...each, aliases: [] })),
      joins: [],
      row_filter: null,
      verified_at: '2026-01-01T00:00:00Z',
    };
    const metric = resolveMetric({ id: 1, name: 'm', formula, binding }, () => []);
    return compileMetrics([{ name: 'value', metric }], { ...nothing, dimensions: dimensions.map(({ name }) => name), limit: 100_000 });
  }

  async function expected(formula: string, dimensions: { name: string; expression: string; type: string }[]) {
    const { sql, parameters } = compile(null, formula, dimensions);
    return plain((await postgres.query<(string | null)[]>({ text: sql, values: parameters, rowMode: 'array' })).rows);
  }

  it.each(Object.entries(expressions).flatMap(([type, list]) => list.map(expression => ({ type, expression }))))(
    'are those of PostgreSQL: $expression',
    async ({ type, expression }) => {
      const dimensions = [
        { name: 'row', expression: 'o.id', type: 'integer' },
        { name: 'x', expression, type },
      ];
      const known = await expected('COUNT(*)', dimensions);
      for (const { engine, client } of engines) {
        const { dialect } = engine;
        const found = plain(await runTranslated(compile(engine, 'COUNT(*)', dimensions), dialect, client, postgres));
        const wrong = known.flatMap((row, index) => (isDeepStrictEqual(row, found[index]) ? [] : [{ row, found: found[index] }]));
        expect({ dialect, wrong }).toEqual({ dialect, wrong: [] });
      }
    },
  );

  it.each(refusedExpressions)('are refused by name: %s', (expression, construct) => {
    const dimensions = [{ name: 'x', expression, type: 'text' }];
    for (const { engine } of engines)
      expect(() => compile(engine, 'COUNT(*)', dimensions)).toThrow(
        expect.objectContaining({ code: 'not_in_dialect', context: { dialect: engine.dialect, construct } }),
      );
  });

  it.each(quantiles)('have the quantiles of PostgreSQL: %s', async formula => {
    for (const dimensions of [[], [{ name: 't', expression: 'o.t', type: 'text' }]]) {
      const known = await expected(formula, dimensions);
      for (const { engine, client } of engines) {
        const { dialect } = engine;
        expect({ dialect, rows: plain(await runTranslated(compile(engine, formula, dimensions), dialect, client, postgres)) }).toEqual({
          dialect,
          rows: known,
        });
      }
    }
  });
});

function plain(rows: (string | null)[][]): (string | null)[][] {
  return rows.map(row => row.map(value => withoutZeros(value)));
}
