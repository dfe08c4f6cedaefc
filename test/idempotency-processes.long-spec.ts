import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { cloneDatabase, type TestDatabase } from './support/database.js';
import { firstToken, ServiceProcess } from './support/service-process.js';

describe('an Idempotency-Key on two processes with one database', () => {
  let database: TestDatabase;
  let services: ServiceProcess[];
  let token: string;
  let client: pg.Client;
  let environment: Record<string, string>;
  beforeAll(async () => {
    database = await cloneDatabase();
    client = new pg.Client(database.url);
    await client.connect();
    environment = {
      DATABASE_URL: database.url,
      JWT_SECRET_KEY: 'b3f1c7a9d2e84f6a90c1b2d3e4f5a6b7c8d9e0f1a2b3c4d5',
      RETRIEVAL_URL: 'http://127.0.0.1:9',
      WORKER: 'off',
      LOG_LEVEL: 'error',
    };
    services = [await ServiceProcess.start({ environment }), await ServiceProcess.start({ environment })];
    token = await firstToken(services[0]!.url);
  });
  afterAll(async () => {
    for (const service of services) await service.kill();
    await client?.end();
    await database?.drop();
  });

  async function createGraph(index: number, key: string, name: string): Promise<{ status: number; retryAfter: string | null; body: any }> {
    const response = await fetch(`${services[index]!.url}/api/graphs`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Idempotency-Key': key },
      body: JSON.stringify({ name }),
    });
    return { status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.json() };
  }

  const count = async (name: string): Promise<number> =>
    (await client.query('SELECT count(*)::int AS n FROM graphs WHERE name = $1', [name])).rows[0].n;

  it('creates one record, however many repeat it at once', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => createGraph(index % 2, 'race', '并发')));
    const codes = new Set(answers.map(({ status, body }) => (status === 201 ? 'created' : `${status} ${body.code}`)));
    expect([...codes].filter(code => !['created', '409 idempotency_key_in_use'].includes(code))).toEqual([]);
    const ids = answers.filter(({ status }) => status === 201).map(({ body }) => body.id);
    expect(new Set(ids).size).toBe(1);
    for (const index of [0, 1]) expect(await createGraph(index, 'race', '并发')).toMatchObject({ status: 201, body: { id: ids[0] } });
    expect(await count('并发')).toBe(1);
  });

  it('is in use while a process works on it, and free again some minutes after that process died', async () => {
    await client.query('BEGIN; LOCK TABLE graphs IN ACCESS EXCLUSIVE MODE');
    const lost = createGraph(1, 'killed', '中断').catch(() => 'no answer');
    const inUse = "SELECT caller FROM idempotency_keys WHERE status IS NULL AND expires_at > now() + interval '3 minutes'";
    while ((await client.query(inUse)).rows.length === 0) await sleep(20);
    expect(await createGraph(0, 'killed', '中断')).toMatchObject({
      status: 409,
      retryAfter: '2',
      body: { code: 'idempotency_key_in_use' },
    });
    expect(await createGraph(0, 'killed', '别的')).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
    services[1]!.child.kill('SIGKILL');
    await client.query('ROLLBACK');
    expect(await lost).toBe('no answer');

    expect(await createGraph(0, 'killed', '中断')).toMatchObject({ status: 409 });
    expect(await count('中断')).toBe(0);
    await client.query("UPDATE idempotency_keys SET expires_at = expires_at - interval '4 minutes' WHERE status IS NULL");
    const { status, body } = await createGraph(0, 'killed', '中断');
    expect(status).toBe(201);
    expect(await createGraph(0, 'killed', '中断')).toMatchObject({ status: 201, body });
    expect(await count('中断')).toBe(1);
  });

  it('creates nothing twice when the process dies after the COMMIT and before it keeps its answer', async () => {
    services[1] = await ServiceProcess.start({ environment });
    await client.query('BEGIN; LOCK TABLE graphs IN ACCESS EXCLUSIVE MODE');
    const lost = createGraph(1, 'orphaned', '孤儿').catch(() => 'no answer');
    const row = "SELECT attempt FROM idempotency_keys WHERE status IS NULL AND NOT committed AND expires_at > now() + interval '3 minutes'";
    while ((await client.query(row)).rows.length === 0) await sleep(20);
    const holder = new pg.Client(database.url);
    await holder.connect();
    try {
      // The graph is created, but the trigger blocks the UPDATE that would store the answer.
      await client.query(`
        CREATE FUNCTION wait_for_ever() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN IF new.status IS NOT NULL THEN PERFORM pg_advisory_xact_lock(77); END IF; RETURN new; END $$`);
      await client.query('CREATE TRIGGER slow BEFORE UPDATE ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION wait_for_ever()');
      await holder.query('SELECT pg_advisory_lock(77)');
      await client.query('COMMIT');
      while ((await count('孤儿')) === 0) await sleep(20);
      services[1].child.kill('SIGKILL');
      expect(await lost).toBe('no answer');
    } finally {
      await client.query('ROLLBACK');
      await holder.query(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = 77 AND NOT granted`);
      await holder.end();
      await client.query('DROP TRIGGER slow ON idempotency_keys; DROP FUNCTION wait_for_ever');
    }
    expect(await createGraph(0, 'orphaned', '孤儿')).toMatchObject({ status: 409, body: { code: 'idempotency_key_in_use' } });
    await client.query(
      "UPDATE idempotency_keys SET under_way_until = now(), expires_at = expires_at - interval '23 hours' WHERE status IS NULL",
    );
    const repeat = await createGraph(0, 'orphaned', '孤儿');
    expect(repeat).toMatchObject({
      status: 409,
      retryAfter: null,
      body: { code: 'idempotency_answer_lost', context: { listed_at: '/api/graphs' } },
    });
    expect(await count('孤儿')).toBe(1);
  });

  it('lets an attempt that outlived its lease commit nothing once another has the key', async () => {
    const waiting = async () =>
      (await client.query('SELECT FROM idempotency_keys WHERE NOT committed AND status IS NULL AND expires_at > now()')).rows.length;
    const locker = new pg.Client(database.url);
    await locker.connect();
    try {
      await locker.query('BEGIN; LOCK TABLE graphs IN ACCESS EXCLUSIVE MODE');
      const slow = createGraph(0, 'slow', '迟到');
      while ((await waiting()) === 0) await sleep(20);
      await client.query('UPDATE idempotency_keys SET expires_at = now() WHERE NOT committed AND status IS NULL');
      const next = createGraph(0, 'slow', '迟到');
      while ((await waiting()) === 0) await sleep(20);
      await locker.query('ROLLBACK');
      expect(await slow).toMatchObject({ status: 409, body: { code: 'idempotency_key_in_use' } });
      expect(await next).toMatchObject({ status: 201 });
    } finally {
      await locker.end();
    }
    expect(await count('迟到')).toBe(1);
  });
});
