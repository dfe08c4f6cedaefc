import { type Grain } from '../formula/formula-tree.js';
import { type Shift } from '../patterns/metric-pattern.js';
import { type ResolvedMetric } from './resolve-metric.js';

export const filterOperators = [
  '=',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  'in',
  'not_in',
  'between',
  'is_null',
  'is_not_null',
  'contains',
  'starts_with',
] as const;
export type FilterOperator = (typeof filterOperators)[number];
export const havingOperators = ['=', '!=', '<', '<=', '>', '>='] as const;
export type HavingOperator = (typeof havingOperators)[number];

export interface MetricFilter {
  field: string;
  op: FilterOperator;
  value?: string | number | boolean;
  values?: (string | number | boolean)[];
}

export interface MetricTime {
  /** Start of the range, inclusive, as local time of the zone: YYYY-MM-DD or YYYY-MM-DDTHH:MM[:SS]. */
  from?: string;
  /** End of the range, exclusive, in the same forms as `from`. */
  to?: string;
  /** A relative range instead of `from` and `to`, such as `last_month`, resolved in the time zone of the request. */
  range?: string;
  grain?: Grain;
  timezone?: string;
  week_start?: 'monday' | 'sunday';
  fill?: 'none' | 'null' | 'zero';
}

/** A filter by a metric. It keeps the rows whose column `by` has a value for which the metric meets the comparison. */
export interface FilterByMetric {
  metric: ResolvedMetric;
  by: string;
  op: HavingOperator;
  /** The number that the metric is compared with, as exact decimal text. */
  value: string;
  /** Whether the metric is computed over the range of the request, instead of all time. */
  inRange: boolean;
  /** Index of the filter in the `filters` of the request. */
  index: number;
}

export const compareModes = ['value', 'diff', 'rate'] as const;
export type CompareMode = (typeof compareModes)[number];

/** A comparison of each value with the value of an earlier period. */
export interface Comparison {
  shift: Shift;
  /** The comparisons that follow each value as columns. */
  modes: CompareMode[];
}

/** A request for metrics, with the shape of its values already checked. */
export interface MetricRequest {
  dimensions: string[];
  time: MetricTime | null;
  /**
   * Filters by a column. `index` is the filter's index in the `filters` of the request, where filters by a metric may stand between
   * them.
   */
  filters: (MetricFilter & { index?: number })[];
  filtersByMetric: FilterByMetric[];
  filter_clause: string | null;
  compare: Comparison | null;
  /** Conditions on values. `by` is the name of a value column, and may be left out if there is only one. */
  having: { by?: string; op: HavingOperator; value: string }[];
  order: { by: string; dir: 'asc' | 'desc'; nulls: 'first' | 'last' }[];
  /** Maximum rows. Infinity for all rows. */
  limit: number;
  offset: number;
  totals: boolean;
  /** Whether errors may list the columns of bindings. */
  seesBindings?: boolean;
}

export const grains: readonly Grain[] = ['hour', 'day', 'week', 'month', 'quarter', 'year'];
