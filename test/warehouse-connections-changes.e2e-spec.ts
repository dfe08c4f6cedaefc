import { setTimeout as sleep } from 'node:timers/promises';
import { seal, sealingKey } from '../src/secrets/sealed-text.js';
import { startTestApp, type TestApp } from './support/app.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { itLong } from './support/tier.js';

const connections = '/api/warehouse/connections';
const formerKey = 'the former key of at least 32 bytes too';

describe('changes of connections to other databases', () => {
  let test: TestApp;
  let foreign: ForeignPostgres;

  beforeAll(async () => {
    [test, foreign] = await Promise.all([
      startTestApp({
        WAREHOUSE_ALLOWED_ADDRESSES: '127.0.0.1, ::1',
        SECRET_ENCRYPTION_KEY: `a key for the tests of at least 32 bytes, ${formerKey}`,
      }),
      ForeignPostgres.start(),
    ]);
  });
  afterAll(async () => {
    await test.close();
    await foreign.remove();
  });

  let made = 0;
  async function create(body: Record<string, unknown>): Promise<{ id: number; [field: string]: unknown }> {
    const { body: created } = await test.admin
      .post(connections)
      .send({ name: `c${++made}`, type: 'postgres', ...body })
      .expect(201);
    return created;
  }
  const events = async (): Promise<{ action: string; context: Record<string, unknown> }[]> =>
    (await test.admin.get('/api/audit-events').query({ limit: 200 }).expect(200)).body.items;

  describe('a saved DSN', () => {
    it('is shown without its password, and kept sealed', async () => {
      const { id, ...shown } = await create({ dsn: foreign.dsn(), options: { pool_max: 5 } });
      expect(shown).toMatchObject({
        dsn_masked: `postgres://reader:***@127.0.0.1:${foreign.port}/service?sslmode=disable`,
        options: { pool_max: 5 },
      });
      const { rows } = await test.pool.query('SELECT * FROM warehouse_connections WHERE id = $1', [id]);
      expect(rows[0].dsn_sealed).toMatch(/^v1:/);
      expect(JSON.stringify([rows, await events()])).not.toMatch(/p@ss|p%40ss/);
      expect((await events())[0]).toMatchObject({
        action: 'connection.created',
        context: { type: 'postgres', place: `127.0.0.1:${foreign.port}/service` },
      });
      const { body } = await test.admin.get(connections).query({ limit: 200 }).expect(200);
      expect(JSON.stringify(body)).not.toMatch(/p@ss|p%40ss/);
    });

    it('is refused with all of its problems', async () => {
      const { body } = await test.admin
        .post(connections)
        .send({ name: 'x', type: 'postgres', dsn: 'postgres://u:secret@a,b/d?service=x' })
        .expect(422);
      expect(body.detail.errors.map((error: { type: string }) => error.type)).toEqual(['dsn_hosts', 'dsn_parameter']);
      expect(JSON.stringify(body)).not.toContain('secret');
      const { body: without } = await test.admin.post(connections).send({ name: 'x', type: 'postgres' }).expect(422);
      expect(without.code).toBe('dsn_missing');
    });

    it('does not open in another row (risk: a sealed DSN is copied into a row that its thief may use)', async () => {
      const [from, to] = [await create({ dsn: foreign.dsn() }), await create({ dsn: foreign.dsn({ user: 'nobody' }) })];
      await test.pool.query(
        'UPDATE warehouse_connections SET dsn_sealed = (SELECT dsn_sealed FROM warehouse_connections WHERE id = $1) WHERE id = $2',
        [from.id, to.id],
      );
      const { body } = await test.admin.get(`${connections}/${to.id}/tables`).expect(500);
      expect(body.code).toBe('secret_unreadable');
      await test.admin.get(`${connections}/${to.id}`).expect(200);
      await test.admin.patch(`${connections}/${to.id}`).send({ dsn: foreign.dsn() }).expect(200);
      await test.admin.get(`${connections}/${to.id}/tables`).expect(200);
    });

    it('opens with a former key until it is sealed with the first one', async () => {
      const [{ id }, lost] = [await create({ dsn: foreign.dsn() }), await create({ dsn: foreign.dsn() })];
      const put = (connection: number, key: string) =>
        test.pool.query('UPDATE warehouse_connections SET dsn_sealed = $2 WHERE id = $1', [
          connection,
          seal(foreign.dsn(), `connection ${connection}`, sealingKey(key)),
        ]);
      await put(id, formerKey);
      await put(lost.id, 'a key that nobody has any more of 32 bytes');
      await test.admin.get(`${connections}/${id}/tables`).expect(200);
      const { body } = await test.admin.post(`${connections}/reseal`).expect(200);
      expect(body).toEqual({ resealed: 1, unreadable: [lost.id], webhooks: { resealed: 0, unreadable: [] } });
      const { rows } = await test.pool.query('SELECT dsn_sealed FROM warehouse_connections WHERE id = $1', [id]);
      expect(rows[0].dsn_sealed.split(':')[1]).toBe(sealingKey('a key for the tests of at least 32 bytes').id);
      await test.admin.get(`${connections}/${id}/tables`).expect(200);
      await test.admin.delete(`${connections}/${lost.id}`).expect(204);
      expect((await test.admin.post(`${connections}/reseal`).expect(200)).body).toMatchObject({ resealed: 0, unreadable: [] });
    });
  });

  describe('a change', () => {
    it('takes a new password at once, and tells the audit where the connection went', async () => {
      await foreign.run(`CREATE ROLE rotating LOGIN PASSWORD 'first'`);
      const { id } = await create({ dsn: foreign.dsn({ user: 'rotating:first' }) });
      await test.admin.get(`${connections}/${id}/tables`).expect(200);
      await foreign.run(`ALTER ROLE rotating PASSWORD 'second'`);
      foreign.cut();
      while (foreign.open > 0) await sleep(5);
      const failed = await test.admin.get(`${connections}/${id}/tables`).expect(500);
      expect(failed.body).toMatchObject({ code: 'warehouse_unavailable', context: { stage: 'login', failure: 'AUTH_FAILED' } });
      const dsn = foreign.dsn({ user: 'rotating:second', host: 'localhost' });
      const { body } = await test.admin
        .patch(`${connections}/${id}`)
        .send({ name: 'renamed', dsn, options: { pool_max: 4 } })
        .expect(200);
      expect(body).toMatchObject({
        name: 'renamed',
        options: { pool_max: 4 },
        dsn_masked: expect.stringContaining('rotating:***@localhost'),
      });
      await test.admin.get(`${connections}/${id}/tables`).expect(200);
      expect((await events())[0]).toMatchObject({
        action: 'connection.changed',
        context: {
          new_name: 'renamed',
          changed: ['name', 'dsn', 'options'],
          place: `localhost:${foreign.port}/service`,
          former_place: `127.0.0.1:${foreign.port}/service`,
        },
      });
      expect(JSON.stringify(await events())).not.toMatch(/second/);
    });

    it('changes options one by one', async () => {
      const { id } = await create({ dsn: foreign.dsn(), options: { pool_max: 5, connect_timeout_ms: 900 } });
      const { body } = await test.admin
        .patch(`${connections}/${id}`)
        .send({ options: { pool_max: null, statement_timeout_ms: 700 } })
        .expect(200);
      expect(body.options).toEqual({ connect_timeout_ms: 900, statement_timeout_ms: 700 });
    });

    it('is refused for what does not fit the type', async () => {
      const { id } = await create({ dsn: foreign.dsn() });
      for (const body of [
        { dsn: null },
        { dsn: 'mysql://h/d' },
        { name: 'pg_mirror' },
        { type: 'mysql' },
        { options: { pool_max: 1 } },
        { options: { schema_allowlist: [] } },
      ]) {
        const { status } = await test.admin.patch(`${connections}/${id}`).send(body);
        expect([400, 422]).toContain(status);
      }
      expect((await test.admin.patch(`${connections}/1`).send({ dsn: foreign.dsn() }).expect(422)).body.code).toBe('pg_mirror_dsn');
      await test.admin
        .patch(`${connections}/1`)
        .send({ options: { pool_max: 4 } })
        .expect(422);
      await test.admin.patch(`${connections}/999`).send({ name: 'x' }).expect(404);
    });
  });

  it('closes its connections when it is deleted', async () => {
    const before = foreign.open;
    const { id } = await create({ dsn: foreign.dsn() });
    await test.admin.get(`${connections}/${id}/tables`).expect(200);
    expect(foreign.open).toBeGreaterThan(before);
    await test.admin.delete(`${connections}/${id}`).expect(204);
    for (const deadline = Date.now() + 30_000; foreign.open > before; await sleep(20)) expect(Date.now()).toBeLessThan(deadline);
  });

  itLong('is not deleted under a job that is created at that very moment', async () => {
    const { body: graph } = await test.admin.post('/api/graphs').send({ name: 'race' }).expect(201);
    await test.admin.put(`${connections}/1/tables/raced`).set('Content-Type', 'text/csv').send('a\n1\n').expect(201);
    const outcomes = new Set<string>();
    for (let round = 0; round < 12; round++) {
      const { id, name } = await create({ type: 'pg_mirror' });
      const mapping = `version: 1\nsource: {connection: ${String(name)}}\nnodes: [{id: a, label: A, table: raced, key: [a], columns: [{column: a}]}]`;
      const job = async () => test.admin.post('/api/ingestion/jobs').send({ graph_id: graph.id, name: `j${round}`, mapping_yaml: mapping });
      // The deletion meets the creation in another place in each round.
      const remove = async () => {
        await sleep(round * 2);
        return test.admin.delete(`${connections}/${id}`);
      };
      const [created, deleted] = await Promise.all([job(), remove()]);
      outcomes.add(`${created.status} ${deleted.status}`);
      if (deleted.status === 422) expect(deleted.body).toMatchObject({ code: 'connection_in_use', context: { jobs: [created.body.id] } });
    }
    for (const outcome of outcomes) expect(outcome).toMatch(/^(201 422|(409|422) 204)$/);
  });
});
