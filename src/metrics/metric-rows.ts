import { type Metric } from './metric.entity.js';
import { type MetricBinding } from './plan/metric-binding.js';

/** The content of `metric_bindings.binding`: the binding as the client sent it, and the checked one with its defaults. */
export interface StoredBinding {
  source: object;
  bound: MetricBinding;
}

export type MetricRow = Pick<
  Metric,
  'id' | 'graphId' | 'name' | 'aliases' | 'formula' | 'unit' | 'format' | 'description' | 'createdAt' | 'updatedAt'
> & {
  binding: StoredBinding | null;
  /** The user who saved the binding, in whose name the warehouse is read. Null once that user is deleted. */
  savedBy: { id: number; username: string } | null;
};

/** A metric without its binding, which may be large. */
export type MetricName = Pick<Metric, 'id' | 'graphId' | 'name' | 'aliases' | 'formula' | 'unit'>;
