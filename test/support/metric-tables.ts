import pg from 'pg';
import { SchemaError } from '../../src/common/errors/api-error.js';
import { type CompiledMetrics, compileMetrics } from '../../src/metrics/plan/compile-metric.js';
import { type MetricBinding } from '../../src/metrics/plan/metric-binding.js';
import { type MetricRequest } from '../../src/metrics/plan/metric-request.js';
import { type MetricDefinition, resolveMetric } from '../../src/metrics/plan/resolve-metric.js';
import { loadSqlParser } from '../../src/sql-guard/sql-parser.js';
import { cloneDatabase } from './database.js';

export const orders: MetricBinding = {
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
    { name: '日', expression: 'o.day', type: 'date' },
    { name: '时', expression: 'o.created_at', type: 'timestamptz' },
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

export const refunds: MetricBinding = {
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

export const others: MetricDefinition[] = [
  { id: 2, name: '订单数', formula: 'COUNT(*)', binding: orders },
  { id: 3, name: '退款额', formula: 'SUM(amount)', binding: refunds },
  { id: 4, name: '退款数', formula: 'COUNT(*)', binding: refunds },
  { id: 5, name: '支付额', formula: "SUM(金额 WHERE 状态 = 'paid')", binding: { ...orders, verified_at: '2026-02-02T00:00:00Z' } },
  { id: 6, name: '未绑定', formula: 'SUM(x)', binding: null },
];

export const nothing: MetricRequest = {
  dimensions: [],
  time: null,
  filters: [],
  filtersByMetric: [],
  filter_clause: null,
  compare: null,
  having: [],
  order: [],
  limit: 100,
  offset: 0,
  totals: false,
};

export function resolve(formula: string, binding: MetricBinding | null = orders) {
  return resolveMetric({ id: 1, name: '本身', formula, binding }, name => others.filter(each => each.name === name));
}
export function compile(formula: string, request: Partial<MetricRequest> = {}, binding: MetricBinding | null = orders) {
  return compileMetrics([{ name: 'value', metric: resolve(formula, binding) }], { ...nothing, ...request });
}
/** The fields and kinds of the problems for which a request is refused. Undefined if it is compiled. */
export function problems(formula: string, request: Partial<MetricRequest>, binding = orders) {
  try {
    compile(formula, request, binding);
  } catch (error) {
    if (error instanceof SchemaError) return error.problems.map(({ loc, type }) => `${loc.join('.')} ${type}`);
    throw error;
  }
  return [];
}

export interface MetricTables {
  client: pg.Client;
  /** Runs a metric in a session with the time zone of the request, as the service does. */
  run(formula: string, request?: Partial<MetricRequest>, binding?: MetricBinding): Promise<unknown[][]>;
  totals: MetricTables['run'];
  close(): Promise<void>;
}

/** A database with the tables behind `orders` and `refunds`, where metrics run without the service. */
export async function openMetricTables(): Promise<MetricTables> {
  await loadSqlParser();
  const database = await cloneDatabase();
  const client = new pg.Client(database.url);
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
  const rowsOf = async ({ sql, parameters, timezone }: CompiledMetrics): Promise<unknown[][]> => {
    await client.query("SELECT set_config('TimeZone', $1, false)", [timezone]);
    return (await client.query({ text: sql, values: parameters, rowMode: 'array' })).rows;
  };
  return {
    client,
    async totals(formula, request, binding) {
      const compiled = compile(formula, { ...request, totals: true }, binding);
      return rowsOf({ ...compiled, ...compiled.totals! });
    },
    async run(formula, request, binding) {
      return rowsOf(compile(formula, request, binding));
    },
    async close() {
      await client.end();
      await database.drop();
    },
  };
}
