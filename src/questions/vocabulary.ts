import { type Grain } from '../metrics/formula/formula-tree.js';

export interface MetricEntry {
  id: number;
  name: string;
  aliases: string[];
  unit: string | null;
  dimensions: MetricDimension[];
  /** Whether the sum of the metric's values over groups is the value of all rows. Only a metric with this property has shares. */
  is_additive: boolean;
  /** Whether the metric counts rows or different values. False for another single aggregate, such as a sum. Null for any other formula. */
  counts: boolean | null;
  has_time: boolean;
  /** Whether the metric can only be asked for by periods or for a range. */
  needs_periods: boolean;
}

export interface MetricDimension {
  name: string;
  aliases: string[];
  /** The column of the dimension; null if the dimension is not a plain column. */
  source: { connection_id: number; table: string; column: string } | null;
}

export interface MetricFilter {
  field: string;
  op: 'in' | 'not_in';
  values: string[];
}

export interface MetricCall {
  metric_id: number;
  metric: string;
  unit: string | null;
  dimensions: string[];
  /** Time range of the call (`to` is exclusive) and the periods to group by; null for all times without periods. */
  time: { from?: string; to?: string; grain?: Grain } | null;
  filters: MetricFilter[];
  /** Bounds of the metric's value; `value` is decimal text. */
  having: { op: '>' | '<' | '>=' | '<='; value: string }[];
  /** Distance back from `time` to the time to compare with, such as `1 year`; null without a comparison. */
  compare: { offset: string } | null;
  /** Present if each value is divided by the metric's value over all rows that meet the filters `of`; else null. */
  share: { of: MetricFilter[] } | null;
  order: { by: string; dir: 'asc' | 'desc' }[];
  limit: number;
  /** Whether rows that tie with the last row within `limit` are included. */
  ties: boolean;
}

export interface LinkedTerm {
  text: string;
  as: 'entity' | 'label' | 'relation' | 'property' | 'metric' | 'dimension' | 'time' | 'intent';
  name: string;
}

export const synonymKinds = ['label', 'relation', 'property', 'metric', 'dimension', 'name'] as const;
export type SynonymKind = (typeof synonymKinds)[number];

/** Another word for a part of a graph or its metrics. The kind `name` stands for names of nodes, and for texts that nodes hold. */
export interface Synonym {
  kind: SynonymKind;
  name: string;
  synonym: string;
}
