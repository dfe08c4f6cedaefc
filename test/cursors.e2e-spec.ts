import { graphTables } from '../src/database/graph-tables.js';
import { startTestApp, type TestApp } from './support/app.js';
import { ingest, upload } from './support/ingestion.js';

const mapping = `version: 1
nodes:
  - {id: n, label: N, table: t, key: [id], columns: [{column: id, property: id}]}
`;

describe('the cursor of a list', () => {
  let test: TestApp;
  let lists: string[];
  beforeAll(async () => {
    test = await startTestApp();
    await upload(test, 't', 'id\n1\n');
    const { graphId } = await ingest(test, mapping);
    await test.admin.post('/api/ingestion/jobs/1/webhooks').send({ url: 'https://hooks.example.com/runs' }).expect(201);
    await test.pool.query(`
      INSERT INTO mirror_copies (connection_id, saved_by, status) SELECT 1, id, 'failed' FROM users WHERE is_admin;
      INSERT INTO mirror_copy_tables (copy_id, position, name, source, mode, key, replaces) VALUES (1, 0, 'copied', 'far', 'full', '{}', false)`);
    const { rows } = await test.pool.query(`SELECT id FROM ${graphTables(graphId).nodes}`);
    const { body: document } = await test.anonymous.get('/openapi.json').expect(200);
    const paged = Object.entries<any>(document.paths).filter(([, { get }]) => get?.parameters?.some((each: any) => each.name === 'cursor'));
    lists = paged.map(([path]) => path.replace(/\{node_?id\}/i, String(rows[0].id)).replace(/\{\w+\}/g, '1'));
  });
  afterAll(() => test.close());

  it('is refused on every list, by name, when the service did not make it', async () => {
    expect(lists.length).toBeGreaterThan(8);
    for (const path of lists) {
      for (const cursor of ['zzz', '0', '-1', '99999999999999999']) {
        const { body, status } = await test.admin.get(`${path}?cursor=${cursor}`);
        expect([path, cursor, status, body.detail?.errors?.[0]?.loc]).toEqual([path, cursor, 422, ['query', 'cursor']]);
      }
    }
  });

  it('beyond the last record ends the list', async () => {
    for (const path of lists.filter(each => !each.includes('tables'))) {
      const { body } = await test.admin.get(`${path}?cursor=999999999999999`).expect(200);
      expect([path, body.next_cursor]).toEqual([path, null]);
    }
    const { body } = await test.admin
      .get(`/api/warehouse/connections/1/tables?cursor=${Buffer.from('t').toString('base64url')}`)
      .expect(200);
    expect(body.items).toEqual([]);
  });
});
