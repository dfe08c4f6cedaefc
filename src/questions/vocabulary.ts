import { type Grain } from '../metrics/formula/formula-tree.js';

export interface MetricEntry {
  id: number;
  name: string;
  aliases: string[];
  unit: string | null;
  dimensions: MetricDimension[];
  /** Whether the sum of its values over groups is that of all. Only then has it shares. */
  is_additive: boolean;
  has_time: boolean;
  /** Whether it is asked about by periods or for a range only. */
  needs_periods: boolean;
}

export interface MetricDimension {
  name: string;
  aliases: string[];
  /** The column that it is, if it is one. */
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
  /** `to` is exclusive. */
  time: { from?: string; to?: string; grain?: Grain } | null;
  filters: MetricFilter[];
  /** Bounds of the value. */
  having: { op: '>' | '<' | '>=' | '<='; value: string }[];
  /** How long before lies the time that it is compared with, such as `1 year`. */
  compare: { offset: string } | null;
  /** Set to divide each value by that of all rows with these filters. */
  share: { of: MetricFilter[] } | null;
  order: { by: string; dir: 'asc' | 'desc' }[];
  limit: number;
  /** Whether rows tied with the last one come too. */
  ties: boolean;
}

export interface LinkedTerm {
  text: string;
  as: 'entity' | 'label' | 'relation' | 'property' | 'metric' | 'dimension' | 'time' | 'intent';
  name: string;
}

export const synonymKinds = ['label', 'relation', 'property', 'metric', 'dimension', 'name'] as const;
export type SynonymKind = (typeof synonymKinds)[number];

/** Another word for something of a graph or its metrics. Of kind `name` it stands for the names of nodes, and for texts that they hold. */
export interface Synonym {
  kind: SynonymKind;
  name: string;
  synonym: string;
}
