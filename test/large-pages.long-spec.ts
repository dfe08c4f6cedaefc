import { startTestApp, type TestApp } from './support/app.js';
import { aGraph, aJob, upload } from './support/ingestion.js';

const rows = 60;
const text = `repeat('字', 50000)`;

let test: TestApp;
let graphId: number;
let jobId: number;
beforeAll(async () => {
  test = await startTestApp({ WORKER: 'off' });
  await upload(test, 'page_rows', 'id\n1\n');
  graphId = await aGraph(test);
  jobId = await aJob(
    test,
    graphId,
    'version: 1\nname: a\nnodes:\n  - {id: r, label: a, table: page_rows, key: [id], columns: [{column: id}]}\n',
  );
});
afterAll(() => test?.close());

const page = (path: string, cursor: string) =>
  test.admin
    .get(`${path}&limit=200${cursor && `&cursor=${cursor}`}`)
    .buffer(true)
    .expect(200);

describe('a list of records with long texts (risk: a page of all of them keeps everybody waiting)', () => {
  it.each([
    [
      'jobs',
      () => `/api/ingestion/jobs?graph_id=${graphId}`,
      `INSERT INTO ingestion_jobs (graph_id, connection_id, name, mapping_yaml)
       SELECT graph_id, connection_id, n, mapping_yaml || '#' || ${text} FROM ingestion_jobs j, generate_series(2, ${rows}) n WHERE j.id = $2`,
    ],
    [
      'runs',
      () => `/api/ingestion/jobs/${jobId}/runs?`,
      `INSERT INTO ingestion_runs (job_id, status, report) SELECT $2, 'failed', json_build_object('a', ${text}) FROM generate_series(1, ${rows})`,
    ],
    [
      'metrics',
      () => `/api/metrics?graph_id=${graphId}`,
      `INSERT INTO metrics (graph_id, name, formula, description) SELECT $1, n, 'SUM(x)', ${text} FROM generate_series(1, ${rows}) n`,
    ],
    [
      'saved queries',
      () => `/api/graphs/${graphId}/saved-queries?`,
      `INSERT INTO saved_queries (graph_id, user_id, name, request)
       SELECT $1, owner_id, n, json_build_object('question', ${text}) FROM graphs, generate_series(1, ${rows}) n WHERE graphs.id = $1`,
    ],
  ])('ends a page of %s early, and tells all of them in the end', async (_, path, fill) => {
    const { rowCount } = await test.pool.query(`WITH given AS (SELECT $1::int, $2::int) ${fill}`, [graphId, jobId]);
    const ids: number[] = [];
    const sizes: number[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body, text: sent } = await page(path(), cursor);
      ids.push(...body.items.map(({ id }: { id: number }) => id));
      sizes.push(Buffer.byteLength(sent ?? JSON.stringify(body)));
      cursor = body.next_cursor;
    }
    expect(rowCount).toBeGreaterThan(0);
    expect(new Set(ids).size).toBe(rows);
    expect(ids).toHaveLength(rows);
    expect(sizes.length).toBeGreaterThan(1);
    expect(Math.max(...sizes)).toBeLessThan(4_800_000);
  });
});
