import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, grantConnection, startTestApp, type TestApp } from './support/app.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { aForeignConnection } from './support/foreign-tables.js';
import { copyToEnd, ended, startCopy } from './support/mirror-copies.js';
import { itLong } from './support/tier.js';

let test: TestApp;
let foreign: ForeignPostgres;
let far: number;

beforeAll(async () => {
  [test, foreign] = await Promise.all([startTestApp(), ForeignPostgres.start()]);
  far = await aForeignConnection(test, foreign);
});
afterAll(async () => {
  await Promise.all([test.close(), foreign.remove()]);
});

const mirrored = async (table: string): Promise<unknown[][]> =>
  (await test.pool.query({ text: `SELECT * FROM mirror."${table}" ORDER BY 1`, rowMode: 'array' })).rows;

describe('a copy', () => {
  let user: Client;
  beforeAll(async () => {
    user = await test.asUser('copier');
    await foreign.run('CREATE TABLE shared (id int); INSERT INTO shared VALUES (1)');
    // The admin makes this copy. `copier` must not see it in the list.
    await copyToEnd(test, far, [{ table: 'shared', as: 'of_admin' }]);
  });

  const grant = (right: string) => test.admin.post(`/api/permissions/connections/${far}/users`).send({ username: 'copier', right });

  it('needs read on the source and write on the mirror, and belongs to its user', async () => {
    const tables = [{ table: 'shared' }];
    const start = () => user.post(`/api/warehouse/connections/${far}/mirror`).send({ tables });
    expect((await start().expect(403)).body.code).toBe('connection_forbidden');
    const userId = (await grant('read')).body.user_id;
    expect((await start().expect(403)).body.code).toBe('mirror_forbidden');
    await grantConnection(test, 'copier', 'write');
    const { id } = (await start().expect(202)).body;
    expect(await ended(test, id)).toMatchObject({ status: 'succeeded', saved_by: 'copier' });
    const stranger = await test.asUser('stranger');
    for (const request of [stranger.get(`/api/warehouse/mirror-copies/${id}`), stranger.delete(`/api/warehouse/mirror-copies/${id}`)]) {
      expect((await request.expect(403)).body.code).toBe('mirror_copy_forbidden');
    }
    expect((await stranger.get('/api/warehouse/mirror-copies').expect(200)).body.items).toEqual([]);
    expect((await user.get('/api/warehouse/mirror-copies').expect(200)).body.items.map((each: any) => each.id)).toEqual([id]);
    expect((await test.admin.get('/api/warehouse/mirror-copies?limit=200').expect(200)).body.items.length).toBeGreaterThan(1);

    await test.admin.delete(`/api/permissions/connections/${far}/users/${userId}`).expect(204);
    await test.admin.post(`/api/warehouse/mirror-copies/${id}/run`).expect(202);
    expect(await ended(test, id)).toMatchObject({ status: 'failed', error: { code: 'connection_access_lost' } });
  });

  itLong('shows no rows once its user has lost a right, even while it reads', async () => {
    // A running statement sees the current value of a sequence, even if its snapshot is older. So the sequence can stop and release it.
    await foreign.run(`
      CREATE SEQUENCE gate; GRANT SELECT ON gate TO PUBLIC;
      CREATE FUNCTION wait_at_gate() RETURNS text LANGUAGE plpgsql AS $$
        BEGIN WHILE (SELECT last_value FROM public.gate) = 1 LOOP PERFORM pg_sleep(0.02); END LOOP; RETURN 'open'; END $$;
      CREATE TABLE slow_rows (id int); INSERT INTO slow_rows VALUES (1);
      CREATE VIEW slow AS SELECT id, public.wait_at_gate() AS waited FROM slow_rows`);
    const userId = (await grant('read').expect(201)).body.user_id;
    await grantConnection(test, 'copier', 'write');
    const started = await user.post(`/api/warehouse/connections/${far}/mirror`).send({ tables: [{ table: 'slow' }] });
    expect(started.status).toBe(202);
    const { id } = started.body;
    const reading = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query ~ '^COPY' AND state = 'active'`;
    while ((await foreign.run(reading)).rowCount === 0) await sleep(20);
    await test.admin.delete(`/api/permissions/connections/1/users/${userId}`).expect(204);
    await foreign.run(`SELECT setval('gate', 2)`);
    expect(await ended(test, id)).toMatchObject({ status: 'failed', error: { code: 'mirror_forbidden' } });
    await test.admin.get('/api/warehouse/connections/1/tables/slow').expect(404);
    await test.admin.delete(`/api/warehouse/mirror-copies/${id}`).expect(204);
    await test.admin.delete(`/api/permissions/connections/${far}/users/${userId}`).expect(204);
  });

  itLong('shows no rows once its user has lost a right, even while it waits for an upload of its table', async () => {
    const userId = (await grant('read').expect(201)).body.user_id;
    await grantConnection(test, 'copier', 'write');
    const upload = await test.pool.connect();
    await upload.query(`BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('mirror.late', 0))`);
    const started = await user.post(`/api/warehouse/connections/${far}/mirror`).send({ tables: [{ table: 'shared', as: 'late' }] });
    expect(started.status).toBe(202);
    const { id } = started.body;
    const waiting = `SELECT FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted`;
    while ((await test.pool.query(waiting)).rowCount === 0) await sleep(20);
    await test.admin.delete(`/api/permissions/connections/1/users/${userId}`).expect(204);
    await upload.query('COMMIT');
    upload.release();
    expect(await ended(test, id)).toMatchObject({ status: 'failed', error: { code: 'mirror_forbidden' } });
    await test.admin.get('/api/warehouse/connections/1/tables/late').expect(404);
    await test.admin.delete(`/api/warehouse/mirror-copies/${id}`).expect(204);
    await test.admin.delete(`/api/permissions/connections/${far}/users/${userId}`).expect(204);
  });

  it('leaves an event for each time that somebody creates, starts or deletes it, and none for what is refused', async () => {
    const { id } = await copyToEnd(test, far, [{ table: 'shared', as: 'audited' }]);
    await test.admin.post(`/api/warehouse/mirror-copies/${id}/run`).expect(202);
    await ended(test, id);
    await (await test.asUser('onlooker')).delete(`/api/warehouse/mirror-copies/${id}`).expect(403);
    await copyToEnd(test, far, [{ table: 'shared', as: 'audited' }]);
    await test.admin.delete(`/api/warehouse/mirror-copies/${id}`).expect(204);
    const { rows } = await test.pool.query(
      `SELECT action, actor, context FROM audit_events WHERE target = 'mirror_copy' AND target_id = $1 ORDER BY id`,
      [id],
    );
    expect(rows).toEqual([
      { action: 'mirror_copy.created', actor: 'admin', context: { connection_id: far, tables: ['audited'] } },
      { action: 'mirror_copy.started', actor: 'admin', context: {} },
      { action: 'mirror_copy.started', actor: 'admin', context: {} },
      { action: 'mirror_copy.deleted', actor: 'admin', context: {} },
    ]);
  });

  it('is refused from the mirror into itself, and with options that say nothing', async () => {
    const own = await test.admin
      .post('/api/warehouse/connections/1/mirror')
      .send({ tables: [{ table: 'shared' }] })
      .expect(422);
    expect(own.body.code).toBe('mirror_into_itself');
    const { body } = await startCopy(test, far, [
      { table: 'shared', as: 'pg_x', lag: '5m' },
      { table: 'shared', as: 'a', mode: 'cursor' },
      { table: 'shared', as: 'a' },
    ]);
    expect(body.detail.errors.map(({ loc, type }: any) => [...loc.slice(2), type])).toEqual([
      [0, 'as', 'reserved_name'],
      [0, 'lag', 'no_effect'],
      [1, 'cursor', 'missing'],
      [2, 'as', 'duplicate_table'],
    ]);
  });

  it('is refused for all that its source does not have, at once and with the nearest names', async () => {
    await foreign.run(`
      CREATE TABLE orders (id int PRIMARY KEY, note text, cost money, updated_at timestamptz);
      CREATE TABLE keyless (id int, at int); CREATE TABLE unmappable (cost money); CREATE TABLE unfit_key (cost money PRIMARY KEY, at int)`);
    const kept = (await test.pool.query('SELECT FROM mirror_copies')).rowCount;
    const byCursor = { table: 'orders', mode: 'cursor', cursor: 'updated_at' };
    const tables = [
      { table: 'ordres' },
      { table: 'nothing_like_it' },
      { table: 'unmappable' },
      { ...byCursor, as: 'o1', cursor: 'updatedat', key: ['id', 'di', 'cost', 'x'.repeat(200)] },
      { ...byCursor, as: 'o2', cursor: 'note' },
      { ...byCursor, as: 'o3', lag: '5' },
      { table: 'keyless', mode: 'cursor', cursor: 'at' },
      { table: 'unfit_key', mode: 'cursor', cursor: 'at' },
      { ...byCursor, as: 'fine', lag: '5m' },
    ];
    const { status, body } = await startCopy(test, far, tables);
    expect(status).toBe(422);
    expect(body.detail.errors.map(({ loc, type, msg }: any) => [loc.join('.'), type, msg.split(' / ')[1]])).toEqual([
      ['body.tables.0.table', 'unknown_table', expect.stringMatching(/no table 'ordres'; did you mean 'orders'\?$/)],
      ['body.tables.1.table', 'unknown_table', expect.stringMatching(/no table 'nothing_like_it'$/)],
      ['body.tables.2.table', 'no_columns', expect.stringContaining('no column that can be copied')],
      ['body.tables.3.cursor', 'unknown_column', expect.stringMatching(/no column 'updatedat'; did you mean 'updated_at'\?$/)],
      ['body.tables.3.key.1', 'unknown_column', expect.stringMatching(/did you mean 'id'\?$/)],
      ['body.tables.3.key.2', 'unreadable_column', expect.stringContaining("'cost' of the source cannot be copied")],
      ['body.tables.3.key.3', 'unknown_column', expect.stringMatching(/no column 'x{99}…'$/)],
      ['body.tables.4.cursor', 'cursor_type', expect.stringContaining("'note' is text and no cursor")],
      ['body.tables.5.lag', 'cursor_lag', expect.stringContaining('needs a unit')],
      ['body.tables.6.key', 'key_needed', expect.stringContaining('name the columns')],
      ['body.tables.7.key', 'unreadable_column', expect.stringContaining("'cost'")],
    ]);
    expect((await test.pool.query('SELECT FROM mirror_copies')).rowCount).toBe(kept);
    expect((await startCopy(test, far, [tables.at(-1)!])).status).toBe(202);
  });

  itLong('is accepted after three seconds of waiting for a source that gives no answer', async () => {
    const sockets: Socket[] = [];
    const silent = net.createServer(socket => sockets.push(socket.on('error', () => undefined)));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const connect = async (name: string, port: number): Promise<number> => {
      const dsn = `postgres://a:b@127.0.0.1:${port}/x?sslmode=disable`;
      return (await test.admin.post('/api/warehouse/connections').send({ name, type: 'postgres', dsn }).expect(201)).body.id;
    };
    try {
      const closed = await startCopy(test, await connect('closed', 9), [{ table: 'any', as: 'from_closed' }]);
      expect(closed.status).toBe(202);
      expect(await ended(test, closed.body.id)).toMatchObject({ status: 'failed', error: { code: 'source_unreachable' } });
      const began = performance.now();
      const waited = await startCopy(test, await connect('silent', (silent.address() as AddressInfo).port), [{ table: 'any' }]);
      expect(waited.status).toBe(202);
      expect(performance.now() - began).toBeLessThan(15_000);
      await test.admin.post(`/api/warehouse/mirror-copies/${waited.body.id}/cancel`);
      await ended(test, waited.body.id);
    } finally {
      for (const socket of sockets) socket.destroy();
      silent.close();
    }
  });

  it('lists its last run and the 20 before it, with what they read and why they failed', async () => {
    await foreign.run('CREATE TABLE repeated (id int PRIMARY KEY); INSERT INTO repeated VALUES (1), (2)');
    const { id } = await copyToEnd(test, far, [{ table: 'repeated' }]);
    const at = `/api/warehouse/mirror-copies/${id}`;
    const again = async () => {
      await test.admin.post(`${at}/run`).expect(202);
      await ended(test, id);
    };
    await foreign.run('ALTER TABLE repeated RENAME TO renamed');
    await again();
    await foreign.run('ALTER TABLE renamed RENAME TO repeated; INSERT INTO repeated VALUES (3)');
    await again();
    const { items } = (await test.admin.get(`${at}/runs`).expect(200)).body;
    expect(items.map(({ run, status, rows }: any) => [run, status, rows])).toEqual([
      [3, 'succeeded', 3],
      [2, 'failed', 0],
      [1, 'succeeded', 2],
    ]);
    expect(items[1]).toMatchObject({
      error: { code: 'source_changed' },
      tables: [{ table: 'repeated', as: 'repeated', status: 'failed' }],
    });
    expect(items[2].tables[0]).toMatchObject({ status: 'succeeded', rows: 2, inserted: 2, problem: null });
    expect(items[2].tables[0]).not.toHaveProperty('data_version');
    expect(Date.parse(items[2].finished_at)).toBeLessThan(Date.parse(items[1].finished_at));

    await test.pool.query('UPDATE mirror_copies SET run = 30 WHERE id = $1', [id]);
    await test.pool.query(
      `INSERT INTO mirror_copy_runs SELECT copy_id, n, started_by, status, attempt, report, error, queued_at, started_at, finished_at
       FROM mirror_copy_runs, generate_series(3, 29) n WHERE copy_id = $1 AND run = 1`,
      [id],
    );
    await again();
    const { body: first } = await test.admin.get(`${at}/runs?limit=15`).expect(200);
    const { body: rest } = await test.admin.get(`${at}/runs?limit=15&cursor=${first.next_cursor}`).expect(200);
    expect([...first.items, ...rest.items].map(({ run }) => run)).toEqual(Array.from({ length: 21 }, (_, index) => 31 - index));
    const stranger = await test.asUser('reader-of-runs');
    expect((await stranger.get(`${at}/runs`).expect(403)).body.code).toBe('mirror_copy_forbidden');
  });

  itLong('keeps its connection from being deleted, also at the same moment, until it is deleted', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await aForeignConnection(test, foreign, `short-lived ${round}`);
      const [started, deleted] = await Promise.all([
        startCopy(test, id, [{ table: 'shared', as: `race_${round}` }]),
        test.admin.delete(`/api/warehouse/connections/${id}`),
      ]);
      if (started.status === 202) {
        expect(deleted.body).toMatchObject({
          code: 'connection_in_use',
          context: { jobs: [], metrics: [], mirror_copies: [started.body.id] },
        });
        await ended(test, started.body.id);
        await test.admin.delete(`/api/warehouse/mirror-copies/${started.body.id}`).expect(204);
        await test.admin.delete(`/api/warehouse/connections/${id}`).expect(204);
        expect(await mirrored(`race_${round}`)).toEqual([[1]]);
      } else expect([started.status, deleted.status]).toEqual([404, 204]);
    }
  });
});
