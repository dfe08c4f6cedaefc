import { MirrorClient } from '../src/warehouse/mirror/mirror.client.js';
import { WarehouseService } from '../src/warehouse/warehouse.service.js';
import { type Client, grantConnection, startTestApp, type TestApp } from './support/app.js';
import { tablesPath, uploadRequest } from './support/ingestion.js';

describe('warehouse', () => {
  let test: TestApp;
  let user: Client;

  beforeAll(async () => {
    test = await startTestApp();
    user = await test.asUser('reader');
    await grantConnection(test, 'reader');
  });
  afterAll(() => test.close());

  const upload = (table: string, csv: string | Buffer, query?: Record<string, string>, as = test.admin) =>
    uploadRequest(as, table, csv, query);

  async function tableNames(): Promise<string[]> {
    return (await test.pool.query(`SELECT relname FROM pg_class WHERE relnamespace = 'mirror'::regnamespace AND relkind = 'r'`)).rows.map(
      row => row.relname,
    );
  }

  describe('connections', () => {
    it('has the default mirror connection from the start', async () => {
      const { body } = await user.get('/api/warehouse/connections').expect(200);
      expect(body).toEqual({
        items: [
          {
            id: 1,
            name: 'pg_mirror',
            type: 'pg_mirror',
            dsn_masked: null,
            options: {},
            is_default: true,
            right: 'read',
            created_at: expect.any(String),
          },
        ],
        next_cursor: null,
      });
    });

    it('creates, shows and deletes a connection', async () => {
      const { body } = await test.admin
        .post('/api/warehouse/connections')
        .send({ name: '第二镜像', type: 'pg_mirror', dsn: null, options: {} })
        .expect(201);
      expect(body).toMatchObject({ name: '第二镜像', is_default: false });
      expect((await test.admin.get(`/api/warehouse/connections/${body.id}`).expect(200)).body.right).toBe('write');
      await user.get(`/api/warehouse/connections/${body.id}`).expect(403);
      await test.admin.post('/api/warehouse/connections').send({ name: '第二镜像', type: 'pg_mirror' }).expect(400);
      await test.admin.delete(`/api/warehouse/connections/${body.id}`).expect(204);
      await user.get(`/api/warehouse/connections/${body.id}`).expect(404);
    });

    it('refuses a DSN for pg_mirror in the legacy form', async () => {
      const { body } = await test.admin
        .post('/warehouse/connections')
        .send({ name: 'x', type: 'pg_mirror', dsn: 'postgres://h/d' })
        .expect(422);
      expect(body).toMatchObject({ success: false, code: 'pg_mirror_dsn' });
      expect(body.message).toContain('pg_mirror connections must not provide a DSN');
      expect(JSON.stringify(body)).not.toContain('postgres://h/d');
    });

    it('refuses types that come later by name, and unknown ones as a schema failure', async () => {
      const later = await test.admin.post('/api/warehouse/connections').send({ name: 'x', type: 'snowflake', dsn: 'x' }).expect(422);
      expect(later.body.message).toMatch(/snowflake come later/);
      const unknown = await test.admin.post('/api/warehouse/connections').send({ name: 'x', type: 'oracle' }).expect(422);
      expect(unknown.body.detail.errors[0]).toMatchObject({ loc: ['body', 'type'], type: 'not_one_of' });
      await test.admin
        .post('/api/warehouse/connections')
        .send({ name: 'x', type: 'pg_mirror', options: { pool_max: 3 } })
        .expect(422);
    });

    it('never deletes the default connection', async () => {
      const { body } = await test.admin.delete('/api/warehouse/connections/1').expect(422);
      expect(body).toMatchObject({ success: false, code: 'default_connection' });
    });

    it('names the jobs and metrics that keep a connection from being deleted', async () => {
      const { body: connection } = await test.admin
        .post('/api/warehouse/connections')
        .send({ name: 'used', type: 'pg_mirror' })
        .expect(201);
      const { rows: graphs } = await test.pool.query(`INSERT INTO graphs (name, owner_id) VALUES ('g', 1) RETURNING id`);
      const { rows: jobs } = await test.pool.query(
        `INSERT INTO ingestion_jobs (graph_id, connection_id, name, mapping_yaml) VALUES ($1, $2, 'j', '') RETURNING id`,
        [graphs[0].id, connection.id],
      );
      const { rows: metrics } = await test.pool.query(`INSERT INTO metrics (graph_id, name, formula) VALUES ($1, 'm', 'x') RETURNING id`, [
        graphs[0].id,
      ]);
      await test.pool.query(`INSERT INTO metric_bindings (metric_id, connection_id, binding) VALUES ($1, $2, '{}')`, [
        metrics[0].id,
        connection.id,
      ]);
      const { body } = await test.admin.delete(`/api/warehouse/connections/${connection.id}`).expect(422);
      expect(body).toMatchObject({ code: 'connection_in_use', context: { jobs: [jobs[0].id], metrics: [metrics[0].id] } });
    });

    it('tests a connection as the role that user SQL runs as', async () => {
      const { body } = await test.admin.post('/api/warehouse/connections/1/test').expect(200);
      expect(body).toMatchObject({ ok: true, current_user: 'graph_test_template_mirror', read_only_enforced: true, can_write: false });
    });

    it('lets granted users read, and only admins change', async () => {
      await test.anonymous.get('/api/warehouse/connections').expect(401);
      await test.anonymous.get(tablesPath).expect(401);
      await user.get(tablesPath).expect(200);
      await user.post('/api/warehouse/connections').send({ name: 'y', type: 'pg_mirror' }).expect(403);
      await user.delete('/api/warehouse/connections/1').expect(403);
      await user.post('/api/warehouse/connections/1/test').expect(403);
      await upload('forbidden', 'a\n1\n', {}, user).expect(403);
      await user.delete(`${tablesPath}/forbidden`).expect(403);
      expect(await tableNames()).not.toContain('forbidden');
    });

    it('answers for missing connections and for ids that are none', async () => {
      await user.get('/api/warehouse/connections/999/tables').expect(404);
      await test.admin.put('/api/warehouse/connections/999/tables/t').set('Content-Type', 'text/csv').send('a\n1\n').expect(404);
      await user.get('/api/warehouse/connections/abc').expect(422);
    });
  });

  describe('WarehouseService', () => {
    const admin = { userId: 1 };

    it('opens the default, a name and an id', async () => {
      const warehouse = test.app.get(WarehouseService);
      for (const nameOrId of [null, 'pg_mirror', 1, '1']) {
        const { id, name, client, claim } = await warehouse.open(admin, nameOrId);
        expect({ id, name, claim, isMirror: client === test.app.get(MirrorClient) }).toEqual({
          id: 1, name: 'pg_mirror', claim: { caller: 1 }, isMirror: true,
        }); // prettier-ignore
      }
      await expect(warehouse.open(admin, 'nowhere')).rejects.toMatchObject({ status: 404 });
    });

    it('opens no connection of a type that is not built (risk: it would read the mirror)', async () => {
      const { rows } = await test.pool.query<{ id: number }>(
        `INSERT INTO warehouse_connections (name, type, dsn_sealed, dsn_masked) VALUES ('later', 'snowflake', 'x', 'x') RETURNING id`,
      );
      const later = `/api/warehouse/connections/${rows[0]!.id}`;
      await test.admin.get(later).expect(200);
      const answers = [
        await test.admin.post(`${later}/test`),
        await test.admin.get(`${later}/tables`),
        await test.admin.get(`${later}/tables/things`),
        await test.admin.put(`${later}/tables/things`).set('Content-Type', 'text/csv').send('a\n1\n'),
        await test.admin.delete(`${later}/tables/things`),
      ];
      expect(answers.map(({ status, body }) => [status, body.code])).toEqual(answers.map(() => [422, 'connection_type_not_built']));
      const mapping = 'version: 1\nsource: {connection: later}\nnodes: [{id: a, label: A, table: t, key: [a], columns: [{column: a}]}]';
      const { body } = await test.admin.post('/api/ingestion/mappings/validate').send({ mapping_yaml: mapping }).expect(422);
      expect(body.detail.errors).toEqual([expect.objectContaining({ type: 'not_built_yet', line: 2 })]);
      await test.admin.delete(later).expect(204);
    });
  });
});
