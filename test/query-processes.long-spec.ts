import { type Client, client, startTestApp, type TestApp } from './support/app.js';
import { ServiceProcess } from './support/service-process.js';
import { endless, slow, statementsNow, until } from './support/slow-queries.js';
import { createTradingGraph, type TradingGraph } from './support/trading-graph.js';

const shared = {
  JWT_SECRET_KEY: 'b3f1c7a9d2e84f6a90c1b2d3e4f5a6b7c8d9e0f1a2b3c4d5',
  SECRET_ENCRYPTION_KEY: 'a key for the tests of at least 32 bytes',
};

/** A query that takes some seconds. */
const slower = (n: number) => slow(n).replace('(i:产品)', '(i:产品), (j:产品)');
const slowerRows = (n: number) => [[5 ** 10 + n]];
/** A query that takes long enough for all callers to join it before it ends. */
const slowest = slower(1).replace('(j:产品)', '(j:产品), (k:产品)');

describe('queries on several processes with one database', () => {
  let app: TestApp;
  let graph: TradingGraph;
  const services: ServiceProcess[] = [];

  async function aProcess(): Promise<{ service: ServiceProcess; admin: Client }> {
    const service = await ServiceProcess.start({
      environment: { ...shared, DATABASE_URL: app.databaseUrl, WORKER: 'off', LOG_LEVEL: 'error' },
    });
    services.push(service);
    return { service, admin: client(service.url, app.admin.token) };
  }

  beforeAll(async () => {
    app = await startTestApp(shared);
    graph = await createTradingGraph(app, app.admin);
  });
  afterAll(async () => {
    for (const service of services) await service.kill();
    await app?.close();
  });

  const queryPath = () => `/api/graphs/${graph.id}/query`;
  const submit = async (as: Client, cypher: string) =>
    (await as.post(queryPath()).set('Prefer', 'respond-async').send({ cypher }).expect(202)).body;
  const working = async () => (await statementsNow(app)) === 1;

  it('are computed once, by whichever process was asked first', async () => {
    const { admin } = await aProcess();
    const first = app.admin.post(queryPath()).send({ cypher: slowest });
    const asked = [first.then(({ body }) => body)];
    await until(working);
    asked.push(
      ...[admin, admin, app.admin].map(as =>
        as
          .post(queryPath())
          .send({ cypher: slowest })
          .then(({ body }) => body),
      ),
    );
    const answers = await Promise.all(asked);
    for (const answer of answers) expect(answer).toMatchObject({ rows: [[5 ** 11 + 1]], query_id: answers[0].query_id });
  });

  it('are computed by the next process when the first one is killed, for who waits and for who looks later', async () => {
    const { service, admin } = await aProcess();
    const submitted = await submit(admin, slower(2));
    await until(working);
    const waiting = app.admin
      .post(queryPath())
      .send({ cypher: slower(2) })
      .then(({ body }) => body);
    await service.kill();
    expect((await app.admin.get(submitted.location).expect(202)).body.status).toBe('running');
    expect((await waiting).rows).toEqual(slowerRows(2));
    await until(async () => (await app.admin.get(submitted.location)).body.status === 'succeeded');
    expect((await app.admin.get(submitted.location).expect(200)).body).toMatchObject({ query_id: submitted.query_id, rows: slowerRows(2) });
  });

  it('are taken up at once when their process is stopped', async () => {
    const { service, admin } = await aProcess();
    const submitted = await submit(admin, slower(3));
    await until(working);
    await service.stop();
    await until(async () => (await app.admin.get(submitted.location)).body.status === 'succeeded');
    expect((await app.admin.get(submitted.location).expect(200)).body.rows).toEqual(slowerRows(3));
    const { rows } = await app.pool.query('SELECT attempt FROM query_runs WHERE id = $1', [submitted.query_id]);
    expect(rows).toEqual([{ attempt: 1 }]);
  });

  it('are given up after three processes that died', async () => {
    const { service, admin } = await aProcess();
    const submitted = await submit(admin, endless(4));
    await until(working);
    await service.kill();
    await app.pool.query('UPDATE query_runs SET attempt = 3, lease_until = now() WHERE id = $1', [submitted.query_id]);
    await until(async () => (await app.admin.get(submitted.location)).body.status === 'failed');
    expect((await app.admin.get(submitted.location)).body.error).toMatchObject({ status: 503, body: { code: 'query_interrupted' } });
  });

  it('are not done anew for a user who may no longer ask', async () => {
    const { service } = await aProcess();
    const lost = await app.asUser('lost');
    await app.admin.post(`/api/permissions/graphs/${graph.id}/members`).send({ username: 'lost', role: 'viewer' }).expect(201);
    const submitted = await submit(client(service.url, lost.token), endless(5));
    await until(working);
    await service.kill();
    const { body: me } = await lost.get('/api/auth/me').expect(200);
    await app.admin.delete(`/api/permissions/graphs/${graph.id}/members/${me.user_id}`).expect(204);
    await app.pool.query('UPDATE query_runs SET lease_until = now() WHERE id = $1', [submitted.query_id]);
    const error = async () => (await app.pool.query('SELECT error FROM query_runs WHERE id = $1', [submitted.query_id])).rows[0].error;
    await until(async () => (await error()) !== null);
    expect(await error()).toMatchObject({ status: 403, body: { code: 'graph_forbidden' } });
  });

  it('are cancelled in whichever process works on them', async () => {
    const { admin } = await aProcess();
    const submitted = await submit(admin, endless(6));
    await until(working);
    await app.admin.delete(submitted.location).expect(200);
    await until(async () => (await statementsNow(app)) === 0);
  });
});
