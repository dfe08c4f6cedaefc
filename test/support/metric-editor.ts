import { type Client, grantConnection, type TestApp } from './app.js';

/** A user who defines metrics of a graph on tables of the mirror. */
export interface MetricEditor {
  editor: Client;
  graphId: number;
  /** Creates a metric and returns its id. */
  aMetric: (fields: object) => Promise<number>;
  execute: (id: number, request?: object) => ReturnType<Client['post']>;
}

export async function aMetricEditor(test: TestApp): Promise<MetricEditor> {
  const editor = await test.asUser('lin');
  await grantConnection(test, 'lin');
  const { body: graph } = await editor.post('/api/graphs').send({ name: '销售' }).expect(201);
  return {
    editor,
    graphId: graph.id,
    async aMetric(fields) {
      const { body } = await editor
        .post('/api/metrics')
        .send({ graph_id: graph.id, name: `m${Math.random()}`, ...fields })
        .expect(201);
      return body.id;
    },
    execute: (id, request = {}) => editor.post(`/api/metrics/${id}/execute`).send(request),
  };
}
