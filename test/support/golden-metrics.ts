import { type Pattern } from '../../src/metrics/formula/formula-tree.js';
import { dayOf, type Expression, type Leaf, type NaiveRequest } from './naive-metrics.js';
import { type SalesRow } from './sales-tables.js';

/** The time zone of the golden cases: eight hours ahead of UTC, and half an hour less until 1982. */
export const goldenZone = 'Asia/Singapore';

type Columns = [id: number, at: string | null, amount: number | null, weight: number | null, key: number | null, flag: boolean];

const sale = ([id, at, amount, weight, key, flag]: Columns, region: number, channel: string | null): SalesRow => ({
  table: 'sales',
  ...{ id, amount, weight, key, flag, region, channel },
  at: at === null ? null : new Date(`${at}Z`),
});
const returned = (...row: Parameters<typeof sale>): SalesRow => ({ ...sale(...row), table: 'returned' });

/** The rows are so few that results can be added up by hand. A region is an index into `regions` (华东, 华南, null). Times are in UTC. */
export const goldenRows: SalesRow[] = [
  sale([1, '2024-01-10T02:00', 10, 2, 1, true], 0, 'web'),
  // In Singapore, these are the last second of January and the first of February.
  sale([2, '2024-01-31T15:59:59', 30, 1, 2, true], 0, 'Web'),
  sale([3, '2024-01-31T16:00', 20, null, 1, false], 0, 'web'),
  sale([4, '2024-02-15T04:00', 60, 2, 3, true], 1, 'web'),
  sale([5, '2024-02-29T16:30', 50, 4, 3, true], 1, 'Web'),
  sale([6, '2024-02-20T01:00', null, 3, null, true], 2, null),
  sale([7, '2024-03-31T15:30', -8, 1, 2, false], 0, 'web'),
  sale([8, '2024-03-20T08:00', 40, 4, 1, true], 2, null),
  sale([9, null, 5, 1, 4, true], 1, 'web'),
  // In Singapore, these are in the first hour of April, and in the last hour of the year before.
  sale([10, '2024-03-31T16:30', 1000, 1, 1, true], 0, 'web '),
  sale([11, '2023-12-31T15:00', 16, 1, 2, true], 0, 'web'),
  returned([20, '2024-01-31T00:00', 5, 1, 1, true], 0, 'web'),
  returned([21, '2024-02-15T00:00', 6, 2, 3, true], 1, 'Web'),
  returned([22, '2024-02-01T00:00', 4, 2, 2, false], 2, null),
  returned([23, '2024-03-05T00:00', 2, null, 3, true], 0, null),
];

export type GoldenPlace = 'postgres' | 'mysql' | 'duckdb' | 'clickhouse';

export interface GoldenCase {
  title: string;
  /** The formula as a tree. Its text has leaves of other bindings as metrics in brackets, see `textOfFormula`. */
  metric: Expression;
  request: Pick<NaiveRequest, 'dimensions' | 'grain' | 'fill'> & { from: string | null; to: string | null };
  /** Keeps the rows of one channel. */
  channel?: string;
  /** Keeps the rows of those groups by a dimension in which a metric is above a threshold. */
  above?: NonNullable<NaiveRequest['above']>;
  /** For each database, the fault that the case could reveal there. */
  risks: Record<GoldenPlace, string>;
}

const leaf = (fn: Leaf['fn'], more: Partial<Leaf> = {}): Leaf => ({ kind: 'leaf', table: 'sales', fn, flagged: false, ...more });
const quarter = { from: '2024-01-01', to: '2024-04-01' };
const months = { ...quarter, grain: 'month', fill: 'none' } as const;
const whole = { dimensions: [], grain: null, fill: 'none', ...quarter } as const;

/** The cases of each pattern. Each pattern has one golden file. */
export const goldenCases: Record<Pattern, GoldenCase[]> = {
  aggregate: [
    {
      title: 'a sum with a condition, by month and region',
      metric: leaf('SUM', { flagged: true }),
      request: { ...months, dimensions: ['地区'] },
      risks: {
        postgres: 'a region without a name that the join drops; an order of the last second of January in the wrong month',
        mysql: 'zones of MySQL, which an administrator may not have loaded',
        duckdb: 'an order of the last second of January in the month of UTC',
        clickhouse: 'a LEFT JOIN that gives an empty text in place of NULL; a sum of no rows that is 0',
      },
    },
    {
      title: 'the last amount of each key, and texts that only a collation takes for equal',
      metric: leaf('LAST', { byKey: true }),
      request: { ...whole, dimensions: ['channel'] },
      risks: {
        postgres: 'the last row picked before the range is applied',
        mysql: "'web', 'Web' and 'web ' in one group",
        duckdb: 'the last row picked among all keys',
        clickhouse: 'a window over the groups, not over the rows',
      },
    },
    {
      title: 'the sum of channels that sold more than was returned',
      metric: leaf('SUM'),
      request: { ...whole, dimensions: ['channel'] },
      above: {
        by: 'channel',
        of: { kind: 'binary', op: '-', left: leaf('SUM'), right: leaf('SUM', { table: 'returned' }) },
        value: 32,
        inRange: false,
      },
      risks: {
        postgres: 'a channel without a name, whose rows no list keeps',
        mysql: "'web' kept for 'Web' or 'web '; a list of which each row is compared with every text",
        duckdb: 'sums of one fact in place of both',
        clickhouse: 'NULL found in a list',
      },
    },
    {
      title: 'a count by the hours of two days',
      metric: leaf('COUNT'),
      request: { dimensions: [], grain: 'hour', fill: 'none', from: '2024-01-31', to: '2024-02-02' },
      risks: {
        postgres: 'an hour of UTC, or one without its offset',
        mysql: 'hours that are cut in another way',
        duckdb: 'as MySQL',
        clickhouse: 'as MySQL',
      },
    },
  ],
  count_distinct: [
    {
      title: 'distinct keys by region',
      metric: leaf('DISTINCT'),
      request: { ...whole, dimensions: ['地区'] },
      risks: {
        postgres: 'a NULL that counts as a key',
        mysql: 'a NULL that counts as a key',
        duckdb: 'a count that is estimated',
        clickhouse: 'uniq in place of uniqExact, which estimates',
      },
    },
    {
      title: 'distinct keys of a channel',
      metric: leaf('DISTINCT'),
      request: { ...whole, dimensions: [] },
      channel: 'web',
      risks: {
        postgres: 'a filter after the count',
        mysql: "'Web', which the condition for the index lets through",
        duckdb: 'a filter after the count',
        clickhouse: 'a filter after the count',
      },
    },
  ],
  quantile: [
    {
      title: 'the median by region',
      metric: leaf('MEDIAN'),
      request: { ...whole, dimensions: ['地区'] },
      risks: {
        postgres: 'the last bits of a double',
        mysql: 'NULLs that count as places in the order',
        duckdb: 'a quantile of decimals, which cuts digits',
        clickhouse: 'quantile, which samples',
      },
    },
    {
      title: 'the value at three quarters',
      metric: leaf('P75'),
      request: { ...whole, dimensions: [] },
      risks: {
        postgres: 'a value between two of them',
        mysql: 'another rounding of the position',
        duckdb: 'another rounding of the position',
        clickhouse: 'quantileExact takes another of two neighbours',
      },
    },
  ],
  weighted_average: [
    {
      title: 'a mean weighted by region',
      metric: leaf('WAVG'),
      request: { ...whole, dimensions: ['地区'] },
      risks: {
        postgres: 'a weight without a value that stays in the denominator',
        mysql: 'a quotient with four digits',
        duckdb: 'a quotient of doubles',
        clickhouse: 'a quotient of decimals that is cut to their scale',
      },
    },
  ],
  ratio: [
    {
      title: 'what was returned of what was sold, by region',
      metric: { kind: 'binary', op: '/', left: leaf('SUM', { table: 'returned' }), right: leaf('SUM') },
      request: { ...whole, dimensions: ['地区'] },
      risks: {
        postgres: 'a join of two facts that splits or drops the region without a name; a division of integers',
        mysql: 'two scans of different moments in another order; a division in MySQL',
        duckdb: 'a division of doubles',
        clickhouse: 'a division by zero that gives infinity',
      },
    },
  ],
  arithmetic: [
    {
      title: 'what was sold less what was returned, by month, zero where there was nothing',
      metric: { kind: 'binary', op: '-', left: leaf('SUM'), right: leaf('SUM', { table: 'returned', flagged: true }) },
      request: { ...months, from: '2023-12-01', dimensions: [], fill: 'zero' },
      risks: {
        postgres: 'a fill after the subtraction, which leaves NULL',
        mysql: 'months of a date and of a moment that have different texts',
        duckdb: 'as MySQL',
        clickhouse: 'as MySQL',
      },
    },
  ],
  accumulate: [
    {
      title: 'the sum of the last 40 days at the end of each month',
      metric: { kind: 'window', from: { count: 40, grain: 'day' }, day: 'LAST', of: leaf('SUM') },
      request: { ...months, dimensions: [] },
      risks: {
        postgres: 'a range that cuts off the rows before it, which belong to the first window',
        mysql: 'days of UTC in windows of Singapore',
        duckdb: 'as MySQL',
        clickhouse: 'as MySQL',
      },
    },
    {
      title: 'distinct keys of the last two months',
      metric: { kind: 'window', from: { count: 2, grain: 'month' }, day: 'LAST', of: leaf('DISTINCT') },
      request: { ...months, dimensions: [] },
      risks: {
        postgres: 'distinct counts of days that are added up',
        mysql: 'the same; a window that the other database would have to find by itself',
        duckdb: 'the same; a bound of UTC',
        clickhouse: 'the same as DuckDB',
      },
    },
    {
      title: 'the last amount of each key up to the end of each month, without a range',
      metric: { kind: 'window', from: 'start', day: 'LAST', of: leaf('LAST', { byKey: true }) },
      request: { dimensions: [], grain: 'month', fill: 'none', from: null, to: null },
      risks: {
        postgres: 'a month without rows',
        mysql: 'periods that are known only when the first and the last time have been read',
        duckdb: 'the same',
        clickhouse: 'the same',
      },
    },
  ],
  period_over_period: [
    {
      title: 'each month against the month before',
      metric: { kind: 'change', count: 1, grain: 'month', mode: 'RATE', of: leaf('SUM') },
      request: { ...months, dimensions: [] },
      risks: {
        postgres: 'no base for January, since the range begins there',
        mysql: 'the base is read by a scan of its own, with a range of its own',
        duckdb: 'as MySQL',
        clickhouse: 'as MySQL',
      },
    },
  ],
  share_of_total: [
    {
      title: 'the share of each channel within its region',
      metric: { kind: 'share', within: ['地区'], of: leaf('SUM') },
      request: { ...whole, dimensions: ['地区', 'channel'] },
      risks: {
        postgres: 'a total over the rows that are shown in place of all; a region without a name and the total of all in one row',
        mysql: 'WITH ROLLUP, which writes NULL for totals and for regions without a name alike',
        duckdb: 'a total in a second statement, which sees another moment',
        clickhouse: 'as DuckDB',
      },
    },
  ],
  conversion: [
    {
      title: 'sales after which something was returned within 20 days, by month',
      metric: {
        kind: 'conversion',
        base: leaf('COUNT'),
        event: leaf('COUNT', { table: 'returned' }),
        within: { count: 20, grain: 'day' },
        mode: 'RATE',
      },
      request: { ...months, dimensions: [] },
      risks: {
        postgres: 'an event credited to every sale before it, or to one outside of its 20 days',
        mysql: 'the rows of both facts, handed over',
        duckdb: 'a day of UTC compared with one of Singapore',
        clickhouse: 'as DuckDB',
      },
    },
    {
      title: 'returns within a month of a sale, by the channel of the sale',
      metric: {
        kind: 'conversion',
        base: leaf('COUNT'),
        event: leaf('COUNT', { table: 'returned' }),
        within: { count: 1, grain: 'month' },
        mode: 'COUNT',
      },
      request: { ...whole, dimensions: ['channel'] },
      risks: {
        postgres: 'one of two sales of a day by the collation of the database',
        mysql: "NULL before all times; 'web' and 'Web' in one order with their collation",
        duckdb: 'a month of thirty days',
        clickhouse: 'first_value, which passes over NULL',
      },
    },
  ],
};

export function naiveRequest({ from, to, ...request }: GoldenCase['request']): NaiveRequest {
  return { ...request, from: from === null ? null : dayOf(from), to: to === null ? null : dayOf(to), weekStart: 'monday' };
}
