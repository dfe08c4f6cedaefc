import { setTimeout as sleep } from 'node:timers/promises';
import { client, grantConnection, startTestApp, type TestApp } from './support/app.js';
import { cloneDatabase } from './support/database.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { aForeignConnection, slowRows } from './support/foreign-tables.js';
import { copyToEnd, ended, startCopy } from './support/mirror-copies.js';
import { firstToken, ServiceProcess } from './support/service-process.js';

let test: TestApp;
let foreign: ForeignPostgres;
let far: number;

beforeAll(async () => {
  const settings = { WAREHOUSE_ALLOWED_ADDRESSES: '127.0.0.1', INGESTION_SOURCE_SILENCE_MS: '1000', INGESTION_MAX_SOURCE_ROWS: '20000' };
  [test, foreign] = await Promise.all([startTestApp(settings), ForeignPostgres.start()]);
  far = await aForeignConnection(test, foreign);
  await foreign.run(`
    ${slowRows}
    CREATE TABLE plain (id int, v text); INSERT INTO plain VALUES (1, 'a')`);
});
afterEach(() => foreign.run('UPDATE pace SET ms = 0'));
afterAll(async () => {
  await Promise.all([test.close(), foreign.remove()]);
});

const state = async (table: string): Promise<unknown[]> =>
  (
    await test.pool.query(
      `SELECT count(*)::int AS rows, (SELECT version FROM mirror_tables WHERE name = $1) AS version FROM mirror."${table}"`,
      [table],
    )
  ).rows;

/** Waits until the copy has copied the first rows of the source table `slow`. */
async function copying({ admin }: Pick<TestApp, 'admin'>, id: number): Promise<void> {
  for (;;) {
    const { body } = await admin.get(`/api/warehouse/mirror-copies/${id}`).expect(200);
    if (body.status === 'running' && body.tables.some((table: any) => table.status === 'copying' && table.rows > 0)) return;
    if (body.status !== 'running' && body.status !== 'queued') throw new Error(JSON.stringify(body));
    await sleep(50);
  }
}

/** Runs a copy to its end, starts it again, and returns while its second run is copying rows. */
async function inTheMiddle(name: string): Promise<{ id: number; before: unknown[] }> {
  const { id, error } = await copyToEnd(test, far, [{ table: 'slow', as: name }]);
  expect(error).toBeNull();
  const before = await state(name);
  await foreign.run('UPDATE pace SET ms = 2');
  await test.admin.post(`/api/warehouse/mirror-copies/${id}/run`).expect(202);
  await copying(test, id);
  return { id, before };
}

/** Expects that no unfinished `copy_…` table is left in this database, and that no statement of the copy still runs at the source. */
async function expectNothingLeft(): Promise<void> {
  expect((await test.pool.query(`SELECT relname FROM pg_class WHERE relname ~ '^copy_[0-9a-f]{24}$'`)).rows).toEqual([]);
  for (let tries = 0; ; tries++) {
    const { rows: busy } = await foreign.run(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND usename = 'reader' AND state <> 'idle'`,
    );
    if (busy.length === 0) return;
    if (tries > 40) throw new Error('The source still works for the copy');
    await sleep(50);
  }
}

describe('a copy', () => {
  it('leaves the old table and its version if its source drops the connection', async () => {
    const { id, before } = await inTheMiddle('dropped');
    foreign.cut();
    expect(await ended(test, id)).toMatchObject({
      status: 'failed',
      error: { code: 'source_lost', context: { connection: 'far', table: 'slow' } },
      tables: [{ status: 'failed', problem: { code: 'source_lost' }, inserted: 0 }],
    });
    expect(await state('dropped')).toEqual(before);
    await expectNothingLeft();
  });

  it('is given up if its source sends nothing any more', async () => {
    const { id, error } = await copyToEnd(test, far, [{ table: 'slow', as: 'silent' }]);
    expect(error).toBeNull();
    const before = await state('silent');
    await foreign.run('UPDATE pace SET ms = 60');
    await test.admin.post(`/api/warehouse/mirror-copies/${id}/run`).expect(202);
    expect(await ended(test, id)).toMatchObject({ status: 'failed', error: { code: 'source_silent' } });
    expect((await state('silent'))[0]).toMatchObject({ rows: (before[0] as { rows: number }).rows });
    await expectNothingLeft();
  });

  it('fails with the setting to raise if it is too large', async () => {
    await foreign.run('CREATE TABLE large AS SELECT n AS id FROM generate_series(1, 20001) n');
    const done = await copyToEnd(test, far, [{ table: 'plain', as: 'small' }, { table: 'large' }]);
    expect(done).toMatchObject({
      status: 'failed',
      error: { code: 'source_too_large', detail: expect.stringContaining('INGESTION_MAX_SOURCE_ROWS') },
    });
    expect((await test.pool.query(`SELECT to_regclass('mirror.small') AS a, to_regclass('mirror.large') AS b`)).rows).toEqual([
      { a: null, b: null },
    ]);
  });

  it('is cancelled while rows are on their way', async () => {
    const { id, before } = await inTheMiddle('cancelled');
    const backends = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query ~ '^COPY "mirror"."copy_[0-9a-f]{24}"'`;
    const [backend] = (await test.pool.query(backends)).rows;
    expect(backend).toBeDefined();
    expect((await test.admin.delete(`/api/warehouse/mirror-copies/${id}`).expect(409)).body.code).toBe('mirror_copy_active');
    expect((await test.admin.post(`/api/warehouse/mirror-copies/${id}/run`).expect(409)).body.code).toBe('mirror_copy_active');
    await test.admin.post(`/api/warehouse/mirror-copies/${id}/cancel`).expect(202);
    expect(await ended(test, id)).toMatchObject({ status: 'cancelled', error: null, tables: [{ status: 'unchanged' }] });
    expect((await test.admin.post(`/api/warehouse/mirror-copies/${id}/cancel`).expect(409)).body.code).toBe('mirror_copy_ended');
    expect(await state('cancelled')).toEqual(before);
    // Waits until the cancelled backend is gone: a cancellation that comes late must not hit a statement of another session.
    const isThere = async () => (await test.pool.query('SELECT FROM pg_stat_activity WHERE pid = $1', [backend.pid])).rowCount === 1;
    for (let tries = 0; tries < 400 && (await isThere()); tries++) await sleep(50);
    expect(await isThere()).toBe(false);
    await expectNothingLeft();
  });

  it('lets uploads of its table through while it reads, and replaces them at its end', async () => {
    const { id } = await inTheMiddle('contended');
    const { body } = await test.admin
      .put('/api/warehouse/connections/1/tables/contended')
      .set('Content-Type', 'text/csv')
      .send('id,v\n1,uploaded\n')
      .expect(200);
    expect((await state('contended'))[0]).toMatchObject({ rows: 1 });
    const done = await ended(test, id);
    expect(done.error).toBeNull();
    expect(done.tables[0].data_version).toBeGreaterThan(body.data_version);
    expect((await state('contended'))[0]).toMatchObject({ rows: 3000 });
  });

  it.each([
    ['has another type', 'ALTER TABLE late ALTER at TYPE timestamp(3)', 'type'],
    ['is emptied and filled again', 'TRUNCATE late; INSERT INTO late SELECT now()', 'former rows'],
    ['is swapped', 'CREATE TABLE fresh AS TABLE late; ALTER TABLE late RENAME TO old; ALTER TABLE fresh RENAME TO late', 'former rows'],
  ])('fails where a table %s before its rows are read', async (title, change, word) => {
    await foreign.run('DROP TABLE IF EXISTS late, old; CREATE TABLE late AS SELECT now()::timestamp(0) AS at; UPDATE pace SET ms = 1');
    const { body } = await startCopy(test, far, [
      { table: 'slow', as: `early ${title}` },
      { table: 'late', as: `late ${title}` },
    ]);
    await copying(test, body.id);
    await foreign.run(change);
    expect(await ended(test, body.id)).toMatchObject({
      status: 'failed',
      error: { code: 'source_changed', detail: expect.stringContaining(word), context: { connection: 'far', table: 'late' } },
      tables: [{ status: 'unchanged' }, { status: 'failed' }],
    });
  });

  it.each([
    ['loses a partition', 'ALTER TABLE parted DETACH PARTITION ones', 'failed'],
    ['gets a partition that had rows', 'ALTER TABLE parted ATTACH PARTITION twos FOR VALUES IN (2)', 'failed'],
    ['gets a new partition', 'CREATE TABLE threes PARTITION OF parted FOR VALUES IN (3); INSERT INTO parted VALUES (3)', 'succeeded'],
  ])('notices where a partitioned table %s before its rows are read', async (title, change, status) => {
    await foreign.run(`
      DROP TABLE IF EXISTS parted, ones, twos; CREATE TABLE parted (id int) PARTITION BY LIST (id);
      CREATE TABLE ones PARTITION OF parted FOR VALUES IN (1); INSERT INTO parted VALUES (1);
      CREATE TABLE twos AS SELECT 2 AS id; UPDATE pace SET ms = 1`);
    const { body } = await startCopy(test, far, [
      { table: 'slow', as: `early ${title}` },
      { table: 'parted', as: `parted ${title}` },
    ]);
    await copying(test, body.id);
    await foreign.run(change);
    const copy = await ended(test, body.id);
    expect(copy.status).toBe(status);
    if (status === 'failed') expect(copy.error).toMatchObject({ code: 'source_changed', context: { table: 'parted' } });
    else expect(copy.tables[1]).toMatchObject({ rows: 1 });
  });

  it('fails cleanly when its table is loaded during a reading by cursor, and is whole the next time', async () => {
    const definition = [{ table: 'slow', as: 'delta', mode: 'cursor', cursor: 'id', lag: '3000', key: ['id'] }];
    const { id } = await copyToEnd(test, far, definition);
    await foreign.run('UPDATE pace SET ms = 2');
    await test.admin.post(`/api/warehouse/mirror-copies/${id}/run`).expect(202);
    await copying(test, id);
    await test.admin.put('/api/warehouse/connections/1/tables/delta').set('Content-Type', 'text/csv').send('id\n1\n').expect(200);
    const after = await state('delta');
    expect(await ended(test, id)).toMatchObject({
      status: 'failed',
      error: { code: 'mirror_table_changed' },
      tables: [{ status: 'failed' }],
    });
    expect(await state('delta')).toEqual(after);
    await foreign.run('UPDATE pace SET ms = 0');
    await test.admin.post(`/api/warehouse/mirror-copies/${id}/run`).expect(202);
    expect(await ended(test, id)).toMatchObject({ status: 'succeeded', tables: [{ reads: 'all', rows: 3000 }] });
  });

  it('waits behind the one that its user has running, as up to four may, and does not hold up another user', async () => {
    const user = await test.asUser('other');
    await grantConnection(test, 'other', 'write');
    await test.admin.post(`/api/permissions/connections/${far}/users`).send({ username: 'other', right: 'read' }).expect(201);
    await foreign.run('UPDATE pace SET ms = 2');
    const ids: number[] = [];
    for (let n = 0; n < 5; n++) {
      ids.push((await startCopy(test, far, [{ table: 'slow', as: `queue_${n}` }])).body.id);
      if (n === 0) await copying(test, ids[0]!);
    }
    const refused = await startCopy(test, far, [{ table: 'plain', as: 'queue_5' }]);
    expect(refused.body).toMatchObject({ code: 'too_many_copies_waiting', context: { waiting: 4 } });
    const { body } = await user
      .post(`/api/warehouse/connections/${far}/mirror`)
      .send({ tables: [{ table: 'plain' }] })
      .expect(202);
    expect(await ended({ admin: user }, body.id)).toMatchObject({ status: 'succeeded' });
    const { rows } = await test.pool.query(
      `SELECT status, count(*)::int AS n FROM mirror_copies WHERE id = ANY ($1) GROUP BY 1 ORDER BY 1`,
      [ids],
    );
    expect(rows).toEqual([
      { status: 'queued', n: 4 },
      { status: 'running', n: 1 },
    ]);
    for (const id of ids) await test.admin.post(`/api/warehouse/mirror-copies/${id}/cancel`).expect(202);
    for (const id of ids) expect(await ended(test, id)).toMatchObject({ status: 'cancelled' });
  });
});

describe('a service that is killed in the middle of a copy', () => {
  it('takes it up again after its start, and leaves nothing half-done', async () => {
    const database = await cloneDatabase();
    const environment = {
      DATABASE_URL: database.url,
      SECRET_ENCRYPTION_KEY: 'a key for the tests of at least 32 bytes',
      WAREHOUSE_ALLOWED_ADDRESSES: '127.0.0.1',
    };
    const first = await ServiceProcess.start({ environment });
    let service = first;
    try {
      let admin = client(service.url, await firstToken(service.url));
      const dsn = foreign.dsn();
      const connection = (await admin.post('/api/warehouse/connections').send({ name: 'far', type: 'postgres', dsn }).expect(201)).body.id;
      const { id, error, tables } = await copyToEnd({ admin } as TestApp, connection, [{ table: 'slow' }]);
      expect(error).toBeNull();
      await foreign.run('UPDATE pace SET ms = 2');
      await admin.post(`/api/warehouse/mirror-copies/${id}/run`).expect(202);
      await copying({ admin }, id);
      await first.stop('SIGKILL');
      await foreign.run('UPDATE pace SET ms = 0');
      service = await ServiceProcess.start({ environment });
      const { body } = await client(service.url, null)
        .post('/api/auth/login')
        .send({ username: 'admin', password: 'correct-horse-7' })
        .expect(200);
      admin = client(service.url, body.token);
      const listed = (await admin.get(`/api/warehouse/connections/1/tables`).expect(200)).body.items;
      expect(listed).toEqual([expect.objectContaining({ name: 'slow', data_version: tables[0].data_version })]);
      const done = await ended({ admin }, id);
      expect(done).toMatchObject({ status: 'succeeded', attempt: 2, rows: 3000 });
      expect(done.tables[0].data_version).toBeGreaterThan(tables[0].data_version);
      expect((await admin.get(`/api/warehouse/connections/1/tables`).expect(200)).body.items).toHaveLength(1);
    } finally {
      await service.kill();
      await first.kill();
      await database.drop();
    }
  });
});
