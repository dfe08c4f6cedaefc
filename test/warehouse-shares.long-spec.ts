import { setTimeout as sleep } from 'node:timers/promises';
import { Settings } from '../src/config/settings.js';
import { readsAtOnce } from '../src/warehouse/mirror/mirror.client.js';
import { type Client, startTestApp, type TestApp } from './support/app.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { aForeignConnection } from './support/foreign-tables.js';
import { upload } from './support/ingestion.js';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ WORKER: 'off', WAREHOUSE_TIMEOUT_MS: '20000' });
  await upload(app, 'numbers', `i\n${Array.from({ length: 2_000 }, (_, index) => index).join('\n')}\n`);
});
afterAll(() => app.close());

/** A user who is an admin, and so may use every connection. */
async function aUser(name: string): Promise<Client> {
  const client = await app.asUser(name);
  await app.pool.query('UPDATE users SET is_admin = true WHERE username = $1', [name]);
  return client;
}

async function aMetric(owner: Client, sql: string): Promise<number> {
  const { body: graph } = await owner.post('/api/graphs').send({ name: '图' }).expect(201);
  const { body } = await owner
    .post('/api/metrics')
    .send({ graph_id: graph.id, name: '数', formula: 'SUM(i)', binding: { relation: { sql } } })
    .expect(201);
  return body.id;
}

it('a warehouse shows tables to others, and runs their metrics, while many slow metrics of one user wait for it', async () => {
  const [greedy, other] = [await aUser('greedy'), await aUser('other')];
  // The join gives thousands of millions of rows, so only the time-out ends it.
  const slow = await aMetric(greedy, 'SELECT a.i FROM numbers a CROSS JOIN numbers b CROSS JOIN numbers c');
  const quick = await aMetric(other, 'SELECT i FROM numbers');
  const ended: (number | string)[] = [];
  // Each request has another `limit`, because equal requests would share one execution.
  const flood = Array.from({ length: 40 }, (_, index) =>
    greedy.post(`/api/metrics/${slow}/execute`).send({ limit: index + 1 }).then(({ status, body, headers }) => {
      ended.push(status);
      return { status, code: body.code, retryAfter: headers['retry-after'] };
    }),
  ); // prettier-ignore
  // The first 503 shows that the queue of this user is full.
  for (const deadline = Date.now() + 20_000; !ended.includes(503) && Date.now() < deadline;) await sleep(20);
  const started = performance.now();
  await other.get('/api/warehouse/connections/1/tables/numbers').expect(200);
  await other.get('/api/warehouse/connections/1/tables').expect(200);
  const { body } = await other.post(`/api/metrics/${quick}/execute`).send({}).expect(200);
  process.stdout.write(`a table and a metric beside forty slow metrics: ${Math.round(performance.now() - started)} ms\n`);
  expect(body.rows).toEqual([['1999000']]);
  // The greedy user can still list tables: short reads have places of their own.
  await greedy.get('/api/warehouse/connections/1/tables/numbers').expect(200);
  // On a busy machine, the first metrics may have reached their time-out by now, with status 400.
  expect(ended.filter(end => end !== 503 && end !== 400)).toEqual([]);
  // The user has half of the places, and 32 more requests may wait.
  expect(ended.filter(end => end === 503)).toHaveLength(40 - 32 - readsAtOnce(app.app.get(Settings)) / 2);
  for (const answer of (await Promise.all(flood)).filter(({ status }) => status !== 400))
    expect(answer).toEqual({ status: 503, code: 'warehouse_busy', retryAfter: expect.stringMatching(/^[1-9]\d?$/) });
});

it('a server whose catalogue hangs for one user shows its tables to others', async () => {
  const [greedy, other] = [await aUser('greedy'), await aUser('other')];
  const foreign = await ForeignPostgres.start();
  try {
    const far = `/api/warehouse/connections/${await aForeignConnection(app, foreign)}/tables`;
    await foreign.run('CREATE TABLE locked (i int); CREATE TABLE free (i int)');
    // The description of the table needs its size, so its statement waits for the lock.
    const locker = foreign.run('BEGIN; LOCK TABLE locked IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(110); COMMIT').catch(() => undefined);
    const ended: number[] = [];
    const flood = Array.from({ length: 40 }, () => greedy.get(`${far}/locked`).then(({ status }) => ended.push(status)));
    for (const deadline = Date.now() + 30_000; !ended.includes(503) && Date.now() < deadline;) await sleep(20);
    await other.get(`${far}/free`).expect(200);
    expect(new Set(ended)).toEqual(new Set([503]));
    await foreign.run(
      `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'BEGIN; LOCK%'`,
    );
    await Promise.all([locker, ...flood]);
  } finally {
    await foreign.remove();
  }
});
