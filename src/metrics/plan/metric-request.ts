import { type Grain } from '../formula/formula-tree.js';

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
  grain?: Grain;
  timezone?: string;
  week_start?: 'monday' | 'sunday';
  fill?: 'none' | 'null' | 'zero';
}

/** A request to a metric. The shape of its values is already checked. */
export interface MetricRequest {
  dimensions: string[];
  time: MetricTime | null;
  filters: MetricFilter[];
  filter_clause: string | null;
  having: { op: HavingOperator; value: string }[];
  order: { by: string; dir: 'asc' | 'desc'; nulls: 'first' | 'last' }[];
  limit: number;
  offset: number;
  totals: boolean;
}

export const grains: readonly Grain[] = ['day', 'week', 'month', 'quarter', 'year'];
