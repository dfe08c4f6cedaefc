import { type MetricBinding } from '../../src/metrics/plan/metric-binding.js';
import { type Fact } from './naive-metrics.js';
import { type RandomBindings } from './random-metric.js';
import { type ForeignDialect } from '../../src/metrics/translate/target-dialect.js';
import { type ForeignEngine } from './translations.js';

/** The binding of sales. A sale has a time, and the region of its buyer. `returned` has a day without a time. */
const sales: MetricBinding = {
  connection_id: 1,
  fact: {
    alias: 's',
    source: { schema: 'mirror', table: 'sales' },
    columns: [
      { name: 'id', type: 'integer' },
      { name: 'amount', type: 'integer' },
      { name: 'weight', type: 'numeric(12,2)' },
      { name: 'key', type: 'integer' },
      { name: 'flag', type: 'boolean' },
      { name: 'at', type: 'timestamptz' },
      { name: 'buyer', type: 'integer' },
      { name: 'channel', type: 'text' },
    ],
  },
  grain: ['s.channel', 's.id'],
  time: { expression: 's.at', type: 'timestamptz', timezone: 'Europe/Paris', min_grain: 'hour', week_start: 'monday' },
  columns: ['amount', 'weight', 'key', 'flag'].map(name => ({
    name,
    expression: `s.${name}`,
    type: name === 'flag' ? 'boolean' : 'numeric',
  })),
  dimensions: [
    { name: '地区', aliases: [], expression: 'b.region', type: 'text' },
    { name: 'channel', aliases: [], expression: 's.channel', type: 'text' },
  ],
  joins: [
    {
      alias: 'b',
      source: { schema: 'mirror', table: 'buyers' },
      columns: [
        { name: 'id', type: 'integer' },
        { name: 'region', type: 'text' },
      ],
      kind: 'left',
      relationship: 'many_to_one',
      on: [['s.buyer', 'b.id']],
    },
  ],
  row_filter: null,
  verified_at: '2026-01-01T00:00:00Z',
};
const returned: MetricBinding = {
  ...sales,
  fact: {
    alias: 'r',
    source: { schema: 'mirror', table: 'returned' },
    columns: [
      { name: 'id', type: 'integer' },
      { name: 'amount', type: 'integer' },
      { name: 'weight', type: 'numeric(12,2)' },
      { name: 'key', type: 'integer' },
      { name: 'flag', type: 'boolean' },
      { name: 'day', type: 'date' },
      { name: 'region', type: 'text' },
      { name: 'channel', type: 'text' },
    ],
  },
  grain: ['r.channel', 'r.id'],
  time: { expression: 'r.day', type: 'date', timezone: 'Europe/Paris', min_grain: 'day', week_start: 'monday' },
  columns: sales.columns.map(column => ({ ...column, expression: `r.${column.name}` })),
  dimensions: [
    { name: '地区', aliases: [], expression: 'r.region', type: 'text' },
    { name: 'channel', aliases: [], expression: 'r.channel', type: 'text' },
  ],
  joins: [],
};

/** The bindings of both tables in the mirror, on PostgreSQL. */
export const salesBindings: RandomBindings = { sales, returned };

/** A row of either table. A row of `returned` is stored with its day only. */
export interface SalesRow {
  table: 'sales' | 'returned';
  id: number;
  amount: number | null;
  weight: number | null;
  key: number | null;
  flag: boolean;
  /** In UTC. */
  at: Date | null;
  /** Index into `regions`. It is also the number of the buyer. */
  region: number;
  channel: string | null;
}

export const regions = ['华东', '华南', null];

/** A row as a fact for the naive evaluation, in a zone that is `hoursAhead` of UTC. */
export function factOf({ table, id, at, region, channel, flag, ...numbers }: SalesRow, hoursAhead: number): Fact {
  const { amount, weight, key } = numbers;
  const local = at === null ? null : at.getTime() / 86_400_000 + (table === 'sales' ? hoursAhead / 24 : 0);
  const day = local === null ? null : Math.floor(local);
  const moment = table === 'sales' ? local : day;
  return { table, id, day, moment, dimensions: { 地区: regions[region] ?? null, channel }, numbers: { amount, weight, key }, flag };
}

type Place = 'postgres' | ForeignDialect;

const create: Record<Place, string[]> = {
  postgres: [
    'CREATE TABLE mirror.sales (id int, amount int, weight numeric(12,2), key int, flag boolean, at timestamptz, buyer int, channel text)',
    'CREATE TABLE mirror.buyers (id int, region text)',
    'CREATE TABLE mirror.returned (id int, amount int, weight numeric(12,2), key int, flag boolean, day date, region text, channel text)',
  ],
  duckdb: [
    'CREATE TABLE sales (id int, amount int, weight decimal(12,2), "key" int, flag boolean, "at" timestamptz, buyer int, channel text)',
    'CREATE TABLE buyers (id int, region text)',
    'CREATE TABLE returned (id int, amount int, weight decimal(12,2), key int, flag boolean, day date, region text, channel text)',
  ],
  mysql: [
    'CREATE TABLE sales (id int, amount int, weight decimal(12,2), `key` int, flag tinyint, at timestamp NULL, buyer int, channel text)',
    'CREATE TABLE buyers (id int, region text)',
    'CREATE TABLE returned (id int, amount int, weight decimal(12,2), `key` int, flag tinyint, day date, region text, channel text)',
  ],
  clickhouse: [
    `CREATE TABLE sales (id Int32, amount Nullable(Int32), weight Nullable(Decimal(12,2)), key Nullable(Int32), flag Bool, at Nullable(DateTime('UTC')),
       buyer Int32, channel Nullable(String)) ENGINE = MergeTree ORDER BY id`,
    'CREATE TABLE buyers (id Int32, region Nullable(String)) ENGINE = MergeTree ORDER BY id',
    `CREATE TABLE returned (id Int32, amount Nullable(Int32), weight Nullable(Decimal(12,2)), key Nullable(Int32), flag Bool, day Nullable(Date),
       region Nullable(String), channel Nullable(String)) ENGINE = MergeTree ORDER BY id`,
  ],
};

/** Statements that create the tables and fill them. */
export function fillSales(place: Place, rows: readonly SalesRow[]): string[] {
  const schema = place === 'postgres' ? 'mirror.' : '';
  const utc = place === 'postgres' || place === 'duckdb' ? '+00' : '';
  const insert = (table: string, list: unknown[][]): string =>
    `INSERT INTO ${schema}${table} VALUES ${list.map(values => `(${values.map(literal).join(', ')})`).join(', ')}`;
  const valuesOf = ({ table, id, amount, weight, key, flag, at, region, channel }: SalesRow): unknown[] => {
    const time = at?.toISOString().replace('T', ' ');
    const [day, moment] = [time?.slice(0, 10) ?? null, time === undefined ? null : `${time.slice(0, 19)}${utc}`];
    const first = [id, amount, weight, key, flag];
    return table === 'sales' ? [...first, moment, region, channel] : [...first, day, regions[region] ?? null, channel];
  };
  const of = (table: string): unknown[][] => rows.filter(row => row.table === table).map(valuesOf);
  return [
    ...(place === 'mysql' ? [`SET time_zone = '+00:00'`] : []),
    ...create[place],
    insert('sales', of('sales')),
    insert(
      'buyers',
      regions.map((region, id) => [id, region]),
    ),
    insert('returned', of('returned')),
  ];
}

function literal(value: unknown): string {
  if (value === null) return 'NULL';
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}

/** The bindings of the same tables on another database. */
export function salesBindingsOn({ dialect, schema }: Pick<ForeignEngine, 'dialect' | 'schema'>): RandomBindings {
  const on = (binding: MetricBinding): MetricBinding => ({
    ...binding,
    dialect,
    fact: {
      ...binding.fact,
      source: { schema, table: 'table' in binding.fact.source ? binding.fact.source.table : '' },
      columns: typed(binding.fact.columns),
    },
    joins: binding.joins.map(join => ({ ...join, source: { schema, table: 'buyers' } })),
    columns: binding.columns.map(column =>
      column.name === 'flag' && dialect === 'mysql' ? { ...column, expression: `${column.expression} = 1` } : column,
    ),
  });
  const typed = (columns: { name: string; type: string }[]) =>
    columns.map(column => (column.name === 'flag' && dialect === 'mysql' ? { ...column, type: 'smallint' } : column));
  return { sales: on(sales), returned: on(returned) };
}

/** Removes zeros at the end of a decimal. */
export function withoutZeros(value: string | null): string | null {
  return typeof value === 'string' && /^-?\d+\.\d+$/.test(value) ? value.replace(/\.?0+$/, '') : value;
}

export function areClose(a: number | null, b: number | null): boolean {
  if (a === null || b === null) return a === b;
  return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
}
