import { type Grain } from '../metrics/formula/formula-tree.js';

export interface MetricEntry {
  id: number;
  name: string;
  aliases: string[];
  unit: string | null;
  dimensions: { name: string; aliases: string[] }[];
  has_time: boolean;
  /** Whether it is asked about by periods or for a range only. */
  needs_periods: boolean;
}

export interface MetricCall {
  metric_id: number;
  metric: string;
  unit: string | null;
  dimensions: string[];
  /** `to` is exclusive. */
  time: { from?: string; to?: string; grain?: Grain } | null;
  filters: { field: string; op: 'in' | 'not_in'; values: string[] }[];
  order: { by: string; dir: 'asc' | 'desc' }[];
  limit: number;
}

export interface LinkedTerm {
  text: string;
  as: 'entity' | 'label' | 'relation' | 'property' | 'metric' | 'dimension' | 'time' | 'intent';
  name: string;
}
