import { type MetricBinding } from './plan/metric-binding.js';

/** The content of `metric_bindings.binding`: the binding as the client sent it, and the checked one with its defaults. */
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
  /** The user who saved the binding, in whose name the warehouse is read. Null once that user is deleted. */
  savedBy: { id: number; username: string } | null;
};

/** A metric without its binding, which may be large. */
export type MetricName = Pick<MetricRow, 'id' | 'graphId' | 'name' | 'aliases' | 'formula' | 'unit'>;
