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
  /** Inclusive, local to the zone: YYYY-MM-DD or YYYY-MM-DDTHH:MM[:SS]. */
  from?: string;
  /** Exclusive. */
  to?: string;
  /** In place of both: `last_month`, resolved in the zone. */
  range?: string;
  grain?: Grain;
  timezone?: string;
  week_start?: 'monday' | 'sunday';
  fill?: 'none' | 'null' | 'zero';
}

/** Keeps the rows whose dimension is one of those for which a metric fits. */
export interface FilterByMetric {
  metric: ResolvedMetric;
  by: string;
  op: HavingOperator;
  /** Exact decimal text. */
  value: string;
  /** Whether the metric is computed over the range of the request, instead of all time. */
  inRange: boolean;
  /** Its place in the `filters` of the request. */
  index: number;
}

export const compareModes = ['value', 'diff', 'rate'] as const;
export type CompareMode = (typeof compareModes)[number];

/** A comparison of each value with that of an earlier period. */
export interface Comparison {
  shift: Shift;
  /** Which columns follow each value. */
  modes: CompareMode[];
}

/** A request to metrics. The shape of its values is already checked. */
export interface MetricRequest {
  dimensions: string[];
  time: MetricTime | null;
  /** Each with its place in the `filters` of the request, where metrics may stand between them. */
  filters: (MetricFilter & { index?: number })[];
  filtersByMetric: FilterByMetric[];
  filter_clause: string | null;
  compare: Comparison | null;
  /** `by` is the name of a column, which may be left out where there is only one. */
  having: { by?: string; op: HavingOperator; value: string }[];
  order: { by: string; dir: 'asc' | 'desc'; nulls: 'first' | 'last' }[];
  /** Infinity for all rows. */
  limit: number;
  offset: number;
  totals: boolean;
  /** Whether errors may list the columns of bindings. */
  seesBindings?: boolean;
}

export const grains: readonly Grain[] = ['hour', 'day', 'week', 'month', 'quarter', 'year'];
