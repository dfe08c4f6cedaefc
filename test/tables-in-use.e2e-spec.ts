import { type Client, grantConnection, startTestApp, type TestApp } from './support/app.js';
import { aGraph, aJob, tablesPath, upload } from './support/ingestion.js';

let test: TestApp;
let graphId: number;
let loader: Client;

beforeAll(async () => {
  test = await startTestApp();
  graphId = await aGraph(test);
  loader = await test.asUser('table-loader');
  await grantConnection(test, 'table-loader', 'write');
});
afterAll(() => test.close());

const nodeOf = (source: string): string =>
  `version: 1\n# not_read\nnodes:\n  - {id: n, label: N, ${source}, key: [id], columns: [{column: id}]}\n`;
const aMetric = async (name: string, relation: object): Promise<number> => {
  const body = { graph_id: graphId, name, formula: 'COUNT(*)', binding: { relation } };
  return (await test.admin.post('/api/metrics').send(body).expect(201)).body.id;
};
const drop = (as: Client, table: string, query = '') => as.delete(`${tablesPath}/${encodeURIComponent(table)}${query}`);
const load = (...tables: string[]) => Promise.all(tables.map(table => upload(test, table, 'id\n1\n')));

describe('a table that something reads', () => {
  it('is not dropped while jobs and metrics read it, by its name or in a query, and their ids are told', async () => {
    await load('In Use', 'not_read');
    const byName = await aJob(test, graphId, nodeOf("table: 'In Use'"));
    const byQuery = await aJob(test, graphId, nodeOf(`query: 'SELECT t.id FROM "In Use" AS t'`));
    const metrics = [await aMetric('by name', { table: 'In Use' }), await aMetric('by query', { sql: 'SELECT id FROM "In Use"' })];
    const { body } = await drop(test.admin, 'In Use').expect(409);
    expect(body).toMatchObject({
      code: 'table_in_use',
      context: { table: 'In Use', jobs: [byName, byQuery], metrics, mirror_copies: [], others: 0 },
      message: expect.stringMatching(/force=true .* \/ .*force=true/),
    });
    await test.admin.get(`${tablesPath}/In%20Use`).expect(200);
    // A table that only a comment of a mapping names is not in use.
    await drop(test.admin, 'not_read').expect(204);
  });

  it('is counted for a caller who may not see the readers, without their ids', async () => {
    const { body } = await drop(loader, 'In Use').expect(409);
    expect(body.context).toEqual({ table: 'In Use', jobs: [], metrics: [], mirror_copies: [], others: 4, unchecked: 0 });
  });

  it('is dropped nevertheless with force=true, and a wrong force is refused', async () => {
    await drop(test.admin, 'In Use', '?force=yes').expect(422);
    await drop(test.admin, 'In Use', '?force=true').expect(204);
    await drop(test.admin, 'In Use').expect(404);
    await drop(test.admin, 'In Use', '?force=true').expect(404);
  });

  it('is dropped once the job is retired and the metric deleted', async () => {
    await load('retired');
    const job = await aJob(test, graphId, nodeOf('table: retired'));
    const metric = await aMetric('deleted', { table: 'retired' });
    await drop(test.admin, 'retired').expect(409);
    await test.admin.delete(`/api/metrics/${metric}`).expect(204);
    expect((await drop(test.admin, 'retired').expect(409)).body.context).toMatchObject({ jobs: [job], metrics: [] });
    await test.admin.post(`/api/ingestion/jobs/${job}/retire`).set('Prefer', 'wait=60').expect(200);
    await drop(test.admin, 'retired').expect(204);
  });

  it('is not dropped while a copy fills it, whose id admins and its owner are told', async () => {
    await load('filled', 'source');
    // The rows stand for a copy that has ended; no other database is needed to drop its table.
    const { rows } = await test.pool.query(
      `WITH copy AS (INSERT INTO mirror_copies (connection_id, saved_by, status) SELECT 1, id, 'failed' FROM users WHERE username = 'table-loader' RETURNING id)
       INSERT INTO mirror_copy_tables (copy_id, position, name, source, mode, key, replaces) SELECT id, 0, 'filled', 'source', 'full', '{}', true FROM copy
       RETURNING copy_id AS id`,
    );
    const other = await test.asUser('other-loader');
    await grantConnection(test, 'other-loader', 'write');
    const inUse = async (as: Client) => {
      const { code, context } = (await drop(as, 'filled').expect(409)).body;
      return [code, context.mirror_copies, context.others];
    };
    expect([await inUse(test.admin), await inUse(loader), await inUse(other)]).toEqual([
      ['table_in_use', [rows[0].id], 0],
      ['table_in_use', [rows[0].id], 0],
      ['table_in_use', [], 1],
    ]);
    // The copy reads its source from elsewhere, not from the table of this name in the mirror.
    await drop(test.admin, 'source').expect(204);
    await loader.delete(`/api/warehouse/mirror-copies/${rows[0].id}`).expect(204);
    await drop(test.admin, 'filled').expect(204);
  });

  it('is told apart from tables whose names contain its name', async () => {
    await load('sales', 'sales_2024');
    await aJob(test, graphId, nodeOf('table: sales_2024'));
    await drop(test.admin, 'sales').expect(204);
    await drop(test.admin, 'sales_2024').expect(409);
  });
});
