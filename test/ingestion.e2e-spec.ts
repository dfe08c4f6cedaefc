import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type TestApp, startTestApp } from './support/app.js';
import { describeWithShared, sharedFolder } from './support/shared-data.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(async () => {
  await app.close();
});

async function aGraph(name = '图'): Promise<number> {
  const { body } = await app.admin.post('/api/graphs').send({ name }).expect(201);
  return body.id;
}

async function aJob(graphId: number, mapping: string): Promise<number> {
  const { body } = await app.admin.post('/api/ingestion/jobs').send({ graph_id: graphId, mapping_yaml: mapping });
  if (!body.id) throw new Error(JSON.stringify(body, null, 2));
  return body.id;
}

async function runToEnd(jobId: number): Promise<any> {
  const { body } = await app.admin.post(`/api/ingestion/jobs/${jobId}/run`).set('Prefer', 'wait=60').expect(200);
  return body;
}

/** Uploads a CSV file of ../shared as a mirror table. */
async function upload(table: string, csv: string | Buffer, types = ''): Promise<void> {
  const response = await app.admin
    .put(`/api/warehouse/connections/1/tables/${table}${types === '' ? '' : `?types=${encodeURIComponent(types)}`}`)
    .set('Content-Type', 'text/csv')
    .send(csv);
  if (response.status >= 300) throw new Error(`${table}: ${JSON.stringify(response.body)}`);
}

const shared = (file: string): Buffer => readFileSync(path.join(sharedFolder, file));
const counts = (run: any): Record<string, number[]> =>
  Object.fromEntries(run.report.targets.map((t: any) => [t.target, [t.read, t.inserted, t.updated, t.unchanged, t.deleted, t.rejected, t.skipped]]));

describeWithShared('Northwind', 'data/northwind/csv', () => {
  let jobId: number;
  let graphId: number;

  beforeAll(async () => {
    for (const table of ['customers', 'orders', 'products', 'order_details']) await upload(table, shared(`data/northwind/csv/${table}.csv`));
    graphId = await aGraph('northwind');
    jobId = await aJob(graphId, shared('data/northwind/mapping_example.yaml').toString());
  });

  it('loads as many nodes and edges as the data holds', async () => {
    const run = await runToEnd(jobId);
    expect(run).toMatchObject({ status: 'succeeded', error: null });
    expect(counts(run)).toEqual({
      客户: [91, 91, 0, 0, 0, 0, 0],
      订单: [830, 830, 0, 0, 0, 0, 0],
      产品: [77, 67, 0, 0, 0, 0, 0],
      下单: [830, 830, 0, 0, 0, 0, 0],
      包含: [2155, 1845, 0, 0, 0, 0, 310],
    });
    expect(run.report.totals).toMatchObject({ skipped: 310, rejected: 0 });
  });

  it('changes nothing when it runs again', async () => {
    const before = (await app.admin.get(`/api/graphs/${graphId}`)).body.version;
    const run = await runToEnd(jobId);
    expect(run.report.totals).toMatchObject({ inserted: 0, updated: 0, deleted: 0, rejected: 0 });
    expect((await app.admin.get(`/api/graphs/${graphId}`)).body.version).toBe(before + 1);
  });
});
