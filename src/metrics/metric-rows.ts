import { type MetricBinding } from './plan/metric-binding.js';

/**
 * The content of `metric_bindings.binding`: `source` is the binding as the client sent it, `bound` the checked binding with its
 * defaults.
 */
export interface StoredBinding {
  source: object;
  bound: MetricBinding;
}

/** The fields of a metric that its editors may change. */
export interface MetricFields {
  name: string;
  aliases: string[];
  formula: string;
  unit: string | null;
  format: string | null;
  description: string | null;
}

export type MetricRow = MetricFields & {
  id: number;
  graphId: number;
  createdAt: Date;
  updatedAt: Date;
  binding: StoredBinding | null;
  /** The user who saved the binding. The warehouse is read in the name of this user. Null once the user is deleted. */
  savedBy: { id: number; username: string } | null;
};

/** A metric without its binding, because the binding may be large. */
export type MetricName = Pick<MetricRow, 'id' | 'graphId' | 'name' | 'aliases' | 'formula' | 'unit'>;
