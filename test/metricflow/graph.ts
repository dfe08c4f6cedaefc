import { type Client } from '../support/app.js';
import { type Model } from './definitions.js';

export interface MetricGraph {
  id: number;
  /** Ids of the metrics, by name. */
  metrics: Map<string, number>;
}

export async function defineMetrics(editor: Client, name: string, model: Model): Promise<MetricGraph> {
  const { body } = await editor.post('/api/graphs').send({ name }).expect(201);
  const metrics = new Map<string, number>();
  for (const [metric, definition] of Object.entries(model)) {
    const { status, body: saved } = await editor
      .post('/api/metrics')
      .send({ graph_id: body.id, name: metric, ...(typeof definition === 'string' ? { formula: definition } : definition) });
    if (status !== 201) throw new Error(`${name}.${metric}: ${JSON.stringify(saved)}`);
    metrics.set(metric, saved.id);
  }
  return { id: body.id, metrics };
}

/**
 * Asks for metrics by name.
 * @param request may name metrics in its filters too
 */
export async function askMetrics(
  editor: Client,
  graph: MetricGraph,
  metrics: readonly string[],
  request: object,
): Promise<{ columns: string[]; rows: unknown[][] }> {
  const { filters = [], ...rest } = request as { filters?: { metric?: string }[] };
  const { status, body } = await editor.post('/api/metrics/query').send({
    graph_id: graph.id,
    metrics: metrics.map(name => graph.metrics.get(name)),
    limit: 10_000,
    ...rest,
    filters: filters.map(filter => (filter.metric ? { ...filter, metric: graph.metrics.get(filter.metric) } : filter)),
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return { columns: body.columns.map((column: { name: string }) => column.name), rows: body.rows };
}
