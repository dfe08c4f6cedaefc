import { type Metric } from './metric.entity.js';
import { type MetricBinding } from './plan/metric-binding.js';

/** What `metric_bindings.binding` holds: the binding as the client sent it, and as it was checked and spelt out. */
export interface StoredBinding {
  source: object;
  bound: MetricBinding;
}

export type MetricRow = Pick<
  Metric,
  'id' | 'graphId' | 'name' | 'aliases' | 'formula' | 'unit' | 'description' | 'createdAt' | 'updatedAt'
> & {
  binding: StoredBinding | null;
  /** Whoever saved the binding, in whose name it is read; null once that user is deleted. */
  savedBy: { id: number; username: string } | null;
};

/** A metric without its binding, which may be large. */
export type MetricName = Pick<Metric, 'id' | 'graphId' | 'name' | 'aliases' | 'formula' | 'unit'>;
