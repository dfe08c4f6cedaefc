import pg from 'pg';
import { cloneDatabase } from '../../../test/support/database.js';
import { SchemaError } from '../../common/errors/api-error.js';
import { UnsafeFilterClauseError } from '../../sql-guard/sql-guard.errors.js';
import { loadSqlParser } from '../../sql-guard/sql-parser.js';
import { FormulaParseError } from '../formula/formula.errors.js';
import { MissingBindingError, PatternNotBuiltError } from '../metrics.errors.js';
import { compileMetric, compileTotals } from './compile-metric.js';
import { type MetricBinding } from './metric-binding.js';
import { type MetricRequest } from './metric-request.js';
import { type MetricDefinition, resolveMetric } from './resolve-metric.js';

let database: { url: string; drop: () => Promise<void> };
let client: pg.Client;

beforeAll(async () => {
  await loadSqlParser();
  database = await cloneDatabase();
  client = new pg.Client(database.url);
  await client.connect();
  await client.query(`
    CREATE TABLE mirror.orders (id bigint, amount numeric, weight real, status text, created_at timestamptz, day date, naive timestamp, customer_id int);
    CREATE TABLE mirror.customers (id int, region text);
    CREATE TABLE mirror.refunds (order_id bigint, amount numeric, region text, day date);
    INSERT INTO mirror.customers VALUES (1, '华东'), (2, '华南'), (3, NULL);
    INSERT INTO mirror.orders VALUES
      (9007199254740993, 100, 0.1, 'paid',    '2024-01-31T16:30:00Z', '2024-01-31', '2024-01-31 16:30', 1),
      (9007199254740995,  50, 0.2, 'paid',    '2024-01-10T00:00:00Z', '2024-01-10', '2024-01-10 00:00', 1),
      (3,                 30, 0.7, 'open',    '2024-02-10T00:00:00Z', '2024-02-10', '2024-02-10 00:00', 2),
      (4,                 20, NULL, 'paid',   '2024-04-02T00:00:00Z', '2024-04-02', '2024-04-02 00:00', 3),
      (5,                  7, NULL, 'open',   '2024-04-03T00:00:00Z', '2024-04-03', '2024-04-03 00:00', NULL);
    INSERT INTO mirror.refunds VALUES (3, 10, '华南', '2024-02-11'), (9, 4, '西部', '2024-02-12'), (10, 1, NULL, '2024-04-09');
  `);
});
afterAll(async () => {
  await client?.end();
  await database?.drop();
});

const orders: MetricBinding = {
  connection_id: 1,
  fact: {
    alias: 'o',
    source: { schema: 'mirror', table: 'orders' },
    columns: [
      { name: 'id', type: 'bigint' },
      { name: 'amount', type: 'numeric' },
      { name: 'weight', type: 'real' },
      { name: 'status', type: 'text' },
      { name: 'created_at', type: 'timestamptz' },
      { name: 'day', type: 'date' },
      { name: 'naive', type: 'timestamp' },
      { name: 'customer_id', type: 'integer' },
    ],
  },
  grain: ['id'],
  time: { expression: 'o.created_at', type: 'timestamptz', timezone: 'Asia/Shanghai', min_grain: 'day', week_start: 'monday' },
  columns: [
    { name: '金额', expression: 'o.amount', type: 'numeric' },
    { name: '状态', expression: 'o.status', type: 'text' },
    { name: 'weight', expression: 'o.weight', type: 'numeric' },
    { name: 'id', expression: 'o.id', type: 'bigint' },
    { name: 'customer_id', expression: 'o.customer_id', type: 'integer' },
    { name: '含税', expression: 'o.amount * 1.13', type: 'numeric' },
  ],
  dimensions: [{ name: '地区', aliases: ['region'], expression: 'c.region', type: 'text' }],
  joins: [
    {
      alias: 'c',
      source: { schema: 'mirror', table: 'customers' },
      columns: [
        { name: 'id', type: 'integer' },
        { name: 'region', type: 'text' },
      ],
      kind: 'left',
      relationship: 'many_to_one',
      on: [['o.customer_id', 'c.id']],
    },
  ],
  row_filter: null,
  verified_at: '2026-01-01T00:00:00Z',
};

const refunds: MetricBinding = {
  connection_id: 1,
  fact: {
    alias: 'r',
    source: { schema: 'mirror', table: 'refunds' },
    columns: [
      { name: 'order_id', type: 'bigint' },
      { name: 'amount', type: 'numeric' },
      { name: 'region', type: 'text' },
      { name: 'day', type: 'date' },
    ],
  },
  grain: [],
  time: { expression: 'r.day', type: 'date', timezone: 'Asia/Shanghai', min_grain: 'day', week_start: 'monday' },
  columns: [{ name: 'amount', expression: 'r.amount', type: 'numeric' }],
  dimensions: [{ name: '地区', aliases: [], expression: 'r.region', type: 'text' }],
  joins: [],
  row_filter: null,
  verified_at: '2026-01-01T00:00:00Z',
};

const others: MetricDefinition[] = [
  { id: 2, name: '订单数', formula: 'COUNT(*)', binding: orders },
  { id: 3, name: '退款额', formula: 'SUM(amount)', binding: refunds },
  { id: 4, name: '退款数', formula: 'COUNT(*)', binding: refunds },
  { id: 5, name: '支付额', formula: "SUM(金额 WHERE 状态 = 'paid')", binding: { ...orders, verified_at: '2026-02-02T00:00:00Z' } },
  { id: 6, name: '未绑定', formula: 'SUM(x)', binding: null },
];

const nothing: MetricRequest = {
  dimensions: [],
  time: null,
  filters: [],
  filter_clause: null,
  having: [],
  order: [],
  limit: 100,
  offset: 0,
};

function resolve(formula: string, binding: MetricBinding | null = orders) {
  return resolveMetric({ id: 1, name: '本身', formula, binding }, name => others.find(each => each.name === name));
}
function compile(formula: string, request: Partial<MetricRequest> = {}, binding: MetricBinding | null = orders) {
  return compileMetric(resolve(formula, binding), { ...nothing, ...request });
}
async function run(formula: string, request: Partial<MetricRequest> = {}, binding: MetricBinding | null = orders): Promise<unknown[][]> {
  const { sql, parameters } = compile(formula, request, binding);
  return (await client.query({ text: sql, values: parameters, rowMode: 'array' })).rows;
}
function problems(formula: string, request: Partial<MetricRequest>, binding = orders) {
  try {
    compile(formula, request, binding);
  } catch (error) {
    if (error instanceof SchemaError) return error.problems.map(({ loc, type }) => `${loc.join('.')} ${type}`);
    throw error;
  }
  return [];
}

describe('the SQL of one scan', () => {
  it('aggregates all leaves of a binding in one pass (risk: a filtered leaf that drops rows of the others)', async () => {
    const request: Partial<MetricRequest> = {
      dimensions: ['region'],
      time: { from: '2024-01-01', to: '2024-03-01', grain: 'month' },
      filters: [{ field: '金额', op: '>=', value: 1 }],
      filter_clause: `"地区" = '华东' OR o.region = '华南'`,
    };
    const formula = "SUM(金额 WHERE 状态 = 'paid') / COUNT(*)";
    expect(compile(formula, request)).toMatchObject({
      sql: `WITH "f0" AS (
  SELECT to_char(date_trunc('month', ("__time" AT TIME ZONE $1::text)), 'YYYY-MM-DD') AS "period", "地区" AS "d0", SUM("金额") FILTER (WHERE (
状态 = 'paid'
)) AS "m0", COUNT(*) AS "m1"
  FROM (
    SELECT "o"."amount" AS "金额", "o"."status" AS "状态", "c"."region" AS "地区", "c"."region" AS "region", "o"."created_at" AS "__time"
    FROM "mirror"."orders" AS "o"
    LEFT JOIN "mirror"."customers" AS "c" ON "o"."customer_id" = "c"."id"
  ) AS "o"
  WHERE "__time" >= ($2::timestamp AT TIME ZONE $1::text) AND "__time" < ($3::timestamp AT TIME ZONE $1::text) AND "金额" >= $4::numeric AND (
"地区" = '华东' OR o.region = '华南'
)
  GROUP BY 1, 2
),
"r" AS (
  SELECT "period", "d0", ("m0"::numeric / NULLIF("m1"::numeric, 0)) AS "value"
  FROM "f0"
)
SELECT "period" AS "period", "d0" AS "地区", "value"
FROM "r"
ORDER BY "r"."period" ASC NULLS LAST, "r"."d0" ASC NULLS LAST
LIMIT $5::bigint OFFSET $6::bigint`,
      parameters: ['Asia/Shanghai', '2024-01-01', '2024-03-01', '1', 101, 0],
    });
    expect((await run(formula, request)).map(row => [row[0], row[1], row[2] && Number(row[2])])).toEqual([
      ['2024-01-01', '华东', 50],
      ['2024-02-01', '华东', 100],
      ['2024-02-01', '华南', null],
    ]);
  });

  it('reads real columns as numeric (risk: 0.1 + 0.2 + 0.7 in single precision)', async () => {
    const { sql } = compile('SUM(weight)');
    expect(sql).toContain('FROM (SELECT "weight"::text::numeric AS "weight", "customer_id" FROM "mirror"."orders") AS "o"');
    expect(await run('SUM(weight)')).toEqual([['1.0']]);
  });

  it('embeds a clause with a trailing line break and OR so that nothing outside changes (risk: precedence)', async () => {
    expect(
      await run('COUNT(*)', { filters: [{ field: '状态', op: '=', value: 'open' }], filter_clause: '金额 = 100 OR 金额 = 7\n' }),
    ).toEqual([['1']]);
  });

  it('keeps integers beyond 2^53 (risk: a JSON number rounds 9007199254740993)', async () => {
    expect(await run('MAX(id)')).toEqual([['9007199254740995']]);
    expect(await run('COUNT(*)', { filters: [{ field: 'id', op: '=', value: '9007199254740993' }] })).toEqual([['1']]);
  });

  it('counts pairs only where both keys are there (risk: NULL in a composite key)', async () => {
    expect(await run('COUNT(DISTINCT customer_id, 状态)')).toEqual([['3']]);
    expect(await run("COUNT(DISTINCT customer_id, 状态 WHERE 状态 = 'paid' OR 状态 = 'x')")).toEqual([['2']]);
  });

  it('joins two conditions of a leaf (risk: AND merged with the first)', async () => {
    expect(await run("COUNT(* WHERE 金额 > 10 AND 金额 < 60) FILTER (WHERE 状态 = 'paid' OR 状态 IS NULL)")).toEqual([['2']]);
  });

  it('reads from a SELECT in place of a table', async () => {
    const fact = {
      ...refunds.fact,
      source: { schema: 'mirror', sql: 'SELECT order_id, amount, region, day FROM refunds WHERE amount > 1' },
    };
    await client.query('SET search_path = pg_catalog, mirror');
    expect(await run('SUM(amount)', { dimensions: ['地区'] }, { ...refunds, fact })).toEqual([
      ['华南', '10'],
      ['西部', '4'],
    ]);
    await client.query('RESET search_path');
  });

  it('lets an index on the time column serve the range (risk: a function around the column)', async () => {
    await client.query('CREATE INDEX orders_time ON mirror.orders (created_at); SET enable_seqscan = off');
    const { sql, parameters } = compile('SUM(金额)', {
      time: { from: '2024-01-01', to: '2024-01-02', grain: 'day' },
      dimensions: ['地区'],
    });
    const { rows } = await client.query({ text: `EXPLAIN ${sql}`, values: parameters, rowMode: 'array' });
    await client.query('DROP INDEX mirror.orders_time; RESET enable_seqscan');
    expect(rows.flat().join('\n')).toMatch(/orders_time.*[\s\S]*Index Cond: \(\(created_at >=/);
  });

  it('applies the row filter of the binding below everything else', async () => {
    expect(await run('SUM(金额)', {}, { ...orders, row_filter: "o.status = 'paid' OR o.amount = 7" })).toEqual([['177']]);
  });
});

describe('values', () => {
  it('divides without integer division (risk: 7 / 2 = 3)', async () => {
    expect(Number((await run("COUNT(* WHERE 状态 = 'paid') / COUNT(* WHERE 状态 = 'open')"))[0]?.[0])).toBe(1.5);
  });

  it('gives NULL for a zero denominator, also inside arithmetic (risk: an error for the whole answer)', async () => {
    expect(await run('SUM(金额) / COUNT(* WHERE 金额 < 0) + 1')).toEqual([[null]]);
    expect(await run('PERCENT(SUM(金额), SUM(金额 - 金额))')).toEqual([[null]]);
  });

  it('gives NULL for a sum of nothing and 0 for a count of nothing', async () => {
    expect(await run('SUM(金额 WHERE 金额 < 0)')).toEqual([[null]]);
    expect(await run('COUNT(* WHERE 金额 < 0)')).toEqual([['0']]);
  });

  it.each([
    ['SUM(金额) * 5%', 10.35],
    ['-SUM(金额) + 2 * 3', -201],
    ['ROUND(SUM(金额) / COUNT(*), 1)', 41.4],
    ['RATIO(SUM(金额), COUNT(*)) - 1', 40.4],
    ['100 - PERCENT(COUNT(* WHERE 金额 > 25), COUNT(*))', 40],
    ['COALESCE(SUM(金额 WHERE 金额 < 0), 0) + ABS(-1 * COUNT(*))', 5],
    ['GREATEST(MIN(金额), 8)', 8],
    ['[支付额] - [订单数]', 165],
    ['SUM(含税)', 233.91],
    ['AVG(金额)', 41.4],
  ])('%s is %d', async (formula, value) => {
    expect(Number((await run(formula))[0]?.[0])).toBeCloseTo(value, 10);
  });
});

describe('several bindings', () => {
  it('stacks and groups again (risk: a join on NULL keys splits or drops rows)', async () => {
    const rows = await run('[退款额] / SUM(金额)', { dimensions: ['地区'] });
    expect(rows.map(([region, value]) => [region, value && Number(Number(value).toFixed(4))])).toEqual([
      ['华东', null],
      ['华南', 0.3333],
      ['西部', null],
      [null, 0.037],
    ]);
  });

  it('counts nothing as 0 where the other side has rows', async () => {
    expect(await run('[退款数] / COUNT(*) * 100', { dimensions: ['地区'], order: [{ by: '地区', dir: 'asc', nulls: 'first' }] })).toEqual([
      [null, expect.stringMatching(/^50\.0+$/)],
      ['华东', expect.stringMatching(/^0(\.0+)?$/)],
      ['华南', expect.stringMatching(/^100\.0+$/)],
      ['西部', null],
    ]);
  });

  it('shares a scan between metrics bound to the same thing, whenever they were bound', () => {
    expect(compile('[支付额] / [订单数]').sql).not.toContain('UNION ALL');
    expect(compile('[支付额] / [退款额]').sql).toContain('UNION ALL');
  });

  it('computes a leaf that occurs twice once', () => {
    expect(compile('SUM(金额) / (SUM(金额) + COUNT(*))').sql).not.toContain('"m2"');
  });

  it('requires a dimension of every binding', () => {
    const without = { ...orders, dimensions: [] };
    expect(() => compile('[退款额] - SUM(金额)', { dimensions: ['地区'] }, without)).toThrow(SchemaError);
  });
});

describe('time', () => {
  it('puts an order at 16:30Z on 31 January into February in Shanghai and January in UTC', async () => {
    const byMonth = (timezone?: string) =>
      run('COUNT(*)', { time: { grain: 'month', from: '2024-01-01', to: '2024-03-01', ...(timezone && { timezone }) } });
    expect(await byMonth()).toEqual([
      ['2024-01-01', '1'],
      ['2024-02-01', '2'],
    ]);
    expect(await byMonth('UTC')).toEqual([
      ['2024-01-01', '2'],
      ['2024-02-01', '1'],
    ]);
  });

  it('cuts days of 23 and 25 hours at local midnight (Europe/Paris)', async () => {
    await client.query(`
      CREATE TABLE mirror.ticks (at timestamptz);
      INSERT INTO mirror.ticks SELECT generate_series('2024-03-30T00:00Z'::timestamptz, '2024-04-01T23:30Z', '30 min');
      INSERT INTO mirror.ticks SELECT generate_series('2024-10-26T00:00Z'::timestamptz, '2024-10-28T23:30Z', '30 min');`);
    const ticks: MetricBinding = {
      ...refunds,
      fact: { alias: 't', source: { schema: 'mirror', table: 'ticks' }, columns: [{ name: 'at', type: 'timestamptz' }] },
      time: { expression: 't.at', type: 'timestamptz', timezone: 'Europe/Paris', min_grain: 'day', week_start: 'monday' },
      columns: [],
      dimensions: [],
    };
    const day = async (from: string, to: string) => (await run('COUNT(*)', { time: { from, to, grain: 'day' } }, ticks))[0];
    expect(await day('2024-03-31', '2024-04-01')).toEqual(['2024-03-31', '46']);
    expect(await day('2024-10-27', '2024-10-28')).toEqual(['2024-10-27', '50']);
  });

  it('reads naive timestamps in the zone of the binding', async () => {
    const naive: MetricBinding = { ...orders, time: { ...orders.time!, expression: 'o.naive', type: 'timestamp', timezone: 'UTC' } };
    const time = { grain: 'month', from: '2024-02-01', to: '2024-03-01' } as const;
    expect(await run('COUNT(*)', { time }, naive)).toEqual([['2024-02-01', '1']]);
    expect(await run('COUNT(*)', { time: { ...time, timezone: 'Asia/Shanghai' } }, naive)).toEqual([['2024-02-01', '2']]);
  });

  it.each([
    ['monday', '2024-01-29'],
    ['sunday', '2024-01-28'],
  ] as const)('starts weeks on %s', async (week_start, first) => {
    const dated: MetricBinding = { ...orders, time: { ...orders.time!, expression: 'o.day', type: 'date', week_start } };
    expect(await run('COUNT(*)', { time: { grain: 'week', from: '2024-01-28', to: '2024-02-04' } }, dated)).toEqual([[first, '1']]);
  });

  it('fills empty periods with null or zero, before the arithmetic', async () => {
    const time = { grain: 'month', from: '2024-02-01', to: '2024-05-01' } as const;
    expect(await run('SUM(金额) + 1', { time: { ...time, fill: 'null' } })).toEqual([
      ['2024-02-01', '131'],
      ['2024-03-01', null],
      ['2024-04-01', '28'],
    ]);
    expect((await run('SUM(金额) + 1', { time: { ...time, fill: 'zero' } }))[1]).toEqual(['2024-03-01', '1']);
    expect((await run('COUNT(*)', { time: { ...time, fill: 'null' } }))[1]).toEqual(['2024-03-01', null]);
    expect(
      await run('[退款额] - SUM(金额)', {
        dimensions: ['地区'],
        time: { ...time, grain: 'quarter', from: '2024-01-01', to: '2024-07-01', fill: 'zero' },
      }),
    ).toHaveLength(8);
  });
});

describe('rows', () => {
  it('keeps a NULL dimension as one group', async () => {
    expect(await run('SUM(金额)', { dimensions: ['地区'] })).toEqual([
      ['华东', '150'],
      ['华南', '30'],
      [null, '27'],
    ]);
  });

  it('orders ties by the keys, so that pages do not overlap', async () => {
    const pageAt = (offset: number) =>
      run('MIN(1)', { dimensions: ['地区'], order: [{ by: 'value', dir: 'desc', nulls: 'last' }], limit: 1, offset });
    // One row more than the limit is read.
    expect([await pageAt(0), await pageAt(1), await pageAt(2)].map(rows => rows[0]?.[0])).toEqual(['华东', '华南', null]);
    expect(await pageAt(0)).toHaveLength(2);
  });

  it('filters groups by their value', async () => {
    expect(
      await run('SUM(金额)', {
        dimensions: ['地区'],
        having: [
          { op: '>', value: '27' },
          { op: '<=', value: '30.0' },
        ],
      }),
    ).toEqual([['华南', '30']]);
  });

  it('recomputes totals (risk: distinct counts that are summed)', async () => {
    const metric = resolve('COUNT(DISTINCT customer_id)');
    const request: MetricRequest = {
      ...nothing,
      dimensions: ['地区'],
      time: { grain: 'month', from: '2024-01-01', to: '2024-03-01' },
      having: [{ op: '>', value: '9' }],
      limit: 1,
    };
    const { sql, parameters } = compileTotals(metric, request);
    expect((await client.query({ text: sql, values: parameters, rowMode: 'array' })).rows).toEqual([['2']]);
  });

  it.each([
    [{ field: '状态', op: 'in', values: ['paid', "x'; DROP TABLE mirror.orders; --"] }, '3'],
    [{ field: '状态', op: 'not_in', values: ['paid'] }, '2'],
    [{ field: 'region', op: 'is_null' }, '2'],
    [{ field: '地区', op: 'is_not_null' }, '3'],
    [{ field: '地区', op: 'contains', value: '东' }, '2'],
    [{ field: '地区', op: 'starts_with', value: '华' }, '3'],
    [{ field: '金额', op: 'between', values: [20, '50.00'] }, '3'],
    [{ field: 'customer_id', op: '!=', value: 1 }, '2'],
    [{ field: 'customer_id', op: '<', value: 1.5 }, '2'],
    [{ field: 'weight', op: '=', value: 0.1 }, '1'],
  ] as const)('filters by %j', async (filter, count) => {
    expect(await run('COUNT(*)', { filters: [structuredClone(filter) as MetricRequest['filters'][number]] })).toEqual([[count]]);
  });
});

describe('what does not fit is a 422', () => {
  it.each<[string, Partial<MetricRequest>, string[]]>([
    ['COUNT(*)', { dimensions: ['nope'] }, ['body.dimensions.0 unknown_dimension']],
    ['COUNT(*)', { dimensions: ['地区', 'region'] }, ['body.dimensions.1 duplicate']],
    ['COUNT(*)', { order: [{ by: '地区', dir: 'asc', nulls: 'last' }] }, ['body.order.0.by unknown_order']],
    ['COUNT(*)', { order: [{ by: 'value; DROP TABLE x', dir: 'asc', nulls: 'last' }] }, ['body.order.0.by unknown_order']],
    ['COUNT(*)', { filters: [{ field: '1=1) OR (1=1', op: '=', value: 1 }] }, ['body.filters.0.field unknown_field']],
    ['COUNT(*)', { filters: [{ field: '金额', op: '=', value: 'abc' }] }, ['body.filters.0.value value_type']],
    ['COUNT(*)', { filters: [{ field: '金额', op: 'in', value: 1 }] }, ['body.filters.0.value no_effect']],
    ['COUNT(*)', { filters: [{ field: '金额', op: 'between', values: [1] }] }, ['body.filters.0.values two_values']],
    ['COUNT(*)', { filters: [{ field: '金额', op: '=' }] }, ['body.filters.0.value missing']],
    ['COUNT(*)', { time: { from: '2024-02-30' } }, ['body.time.from date_type']],
    ['COUNT(*)', { time: { from: '2024-02-01', to: '2024-02-01' } }, ['body.time.to empty_range']],
    ['COUNT(*)', { time: { timezone: 'UTC' } }, ['body.time.timezone no_effect']],
    ['COUNT(*)', { time: { grain: 'day', timezone: 'Mars/Olympus' } }, ['body.time.timezone unknown_timezone']],
    ['COUNT(*)', { time: { from: '2024-01-01', fill: 'zero' } }, ['body.time.fill no_effect']],
    ['COUNT(*)', { time: { grain: 'day', fill: 'zero' } }, ['body.time.fill needs_range']],
    ['COUNT(*)', { time: { grain: 'day', from: '1024-01-01', to: '2024-01-01', fill: 'null' } }, ['body.time.fill too_many_periods']],
    ['AVG(金额)', { time: { grain: 'day', from: '2024-01-01', to: '2024-02-01', fill: 'zero' } }, ['body.time.fill fill_not_additive']],
  ])('%s with %j', (formula, request, expected) => {
    expect(problems(formula, request)).toEqual(expected);
  });

  it('refuses a grain finer than the binding’s, and time without a time column', () => {
    const monthly = { ...orders, time: { ...orders.time!, min_grain: 'month' as const } };
    expect(problems('COUNT(*)', { time: { grain: 'week' } }, monthly)).toEqual(['body.time.grain grain_too_fine']);
    expect(problems('COUNT(*)', { time: { grain: 'week' } }, { ...orders, time: null })).toEqual(['body.time no_time_column']);
  });

  it('refuses a zone for a column of dates, where it could have no effect', () => {
    expect(problems('SUM(amount)', { time: { grain: 'day', timezone: 'UTC' } }, refunds)).toEqual(['body.time.timezone no_effect']);
  });
});

describe('the order of errors', () => {
  const clause = { filter_clause: 'pg_sleep(1) IS NULL' };

  it('is formula, binding, clause, execution', () => {
    expect(() => compile('SUM(', clause)).toThrow(FormulaParseError);
    expect(() => compile('[没有] / 2', clause)).toThrow(FormulaParseError);
    expect(() => compile('YOY([未绑定])', clause)).toThrow(MissingBindingError);
    expect(() => compile('YOY(SUM(金额))', clause)).toThrow(UnsafeFilterClauseError);
    expect(() => compile('YOY(SUM(金额))')).toThrow(PatternNotBuiltError);
    expect(() => compile('COUNT(*)', { ...clause, dimensions: ['nope'] })).toThrow(UnsafeFilterClauseError);
  });

  it('lets the guard judge all SQL first, also of what cannot be run, and the formula before the clause', () => {
    expect(() => compile('MEDIAN(金额) + [未绑定]')).toThrow(MissingBindingError);
    expect(() => compile('YOY(SUM(nope))', clause)).toThrow(FormulaParseError);
    expect(() => compile('MEDIAN(pg_sleep(1)) + [订单数]')).toThrow(UnsafeFilterClauseError);
    expect(() => compile('CONVERSION([订单数] -> [未绑定] BY id)')).toThrow(MissingBindingError);
  });

  it.each([
    'MEDIAN(金额)',
    'WAVG(金额, weight)',
    'LAST(金额 BY id)',
    'FIRST(金额)',
    'CUMULATIVE(SUM(金额))',
    'SHARE(COUNT(*))',
    'CONVERSION([订单数] -> [支付额] BY id)',
  ])('recognises %s and does not run it', formula => {
    expect(() => compile(formula)).toThrow(PatternNotBuiltError);
  });

  it('places what the guard refuses within the formula', () => {
    expect(() => compile("SUM(金额) - SUM(amount WHERE 状态 = 'paid')")).toThrow(
      expect.objectContaining({
        code: 'formula_parse_error',
        facts: expect.objectContaining({ found: 'amount', position: 15, hint: expect.stringContaining('known columns: ') }),
      }),
    );
  });

  it('names every aggregate without a binding, with the way to it', () => {
    expect(() => compile('[未绑定] / SUM(a)', {}, null)).toThrow(
      expect.objectContaining({
        context: {
          metric_id: 1,
          missing: [
            { metric_id: 6, name: '未绑定', path: '本身 → 未绑定' },
            { metric_id: 1, name: '本身', path: '本身' },
          ],
        },
      }),
    );
  });
});

describe('references', () => {
  const graph = (metrics: Record<string, string>) => {
    const definitions = Object.entries(metrics).map(([name, formula], index) => ({ id: index, name, formula, binding: orders }));
    return () => resolveMetric(definitions[0]!, name => definitions.find(each => each.name === name));
  };

  it('shows the way of a circle', () => {
    expect(graph({ a: '[b] + 1', b: '[c]', c: '[a] / 2' })).toThrow('a → b → c → a');
  });

  it('stops at ten levels', () => {
    const chain = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`m${i}`, i === 11 ? 'COUNT(*)' : `[m${i + 1}]`]));
    expect(graph(chain)).toThrow('more than 10 levels');
  });

  it('stops at 500 references (risk: each level doubles the statement)', () => {
    const chain = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`m${i}`, i === 9 ? 'COUNT(*)' : `[m${i + 1}] + [m${i + 1}]`]));
    expect(graph(chain)).toThrow('more than 500 references');
  });

  it('refuses a nesting that only shows through a reference', () => {
    expect(graph({ a: '[b] / COUNT(*)', b: 'CUMULATIVE(COUNT(*))' })).toThrow('ratio cannot contain accumulate');
  });
});
