import { type Client } from './app.js';

/** Creates a metric, binds it as the suggested binding says, and returns the rows of its execution. */
export async function boundRows(
  { as, graphId }: { as: Client; graphId: number },
  formula: string,
  binding: object,
  request: object,
): Promise<unknown[][]> {
  const { body: metric } = await as
    .post('/api/metrics')
    .send({ graph_id: graphId, name: `m${Math.random()}`, formula })
    .expect(201);
  const { body: bound } = await as.put(`/api/metrics/${metric.id}/binding`).send(binding);
  expect(bound).toMatchObject({ warnings: [] });
  const { body } = await as.post(`/api/metrics/${metric.id}/execute`).send(request);
  if (!body.rows) throw new Error(JSON.stringify(body));
  return body.rows;
}
