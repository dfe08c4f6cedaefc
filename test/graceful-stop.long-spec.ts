import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { graphTables } from '../src/database/graph-tables.js';
import { ask, askUntilRefused } from './support/cut-requests.js';
import { cloneDatabase } from './support/database.js';
import { firstToken, ServiceProcess } from './support/service-process.js';

const rounds = 200;
const jwtKey = 'b3f1c7a9d2e84f6a90c1b2d3e4f5a6b7c8d9e0f1a2b3c4d5';

describe('stopping', () => {
  let database: Awaited<ReturnType<typeof cloneDatabase>>;
  let token: string;
  const services: ServiceProcess[] = [];

  const start = async (environment: Record<string, string> = {}): Promise<ServiceProcess> => {
    const service = await ServiceProcess.start({
      environment: { DATABASE_URL: database.url, JWT_SECRET_KEY: jwtKey, LOG_LEVEL: 'warn', ...environment },
    });
    services.push(service);
    return service;
  };

  beforeAll(async () => {
    database = await cloneDatabase();
    token = await firstToken((await start({ WORKER: 'off' })).url);
  });
  afterEach(async () => {
    for (const service of services.splice(0)) await service.kill();
  });
  afterAll(() => database.drop());

  async function post(url: string, route: string, body: object): Promise<{ id: number }> {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await ask(url, token, { method: 'POST', path: route, headers, body: JSON.stringify(body) });
    if (answer.status >= 300) throw new Error(`${route}: ${answer.body}`);
    return JSON.parse(answer.body) as { id: number };
  }

  /** Makes a job that loads a table of `cities` rows into a graph of its own. */
  async function createJob(url: string, table: string, cities: number): Promise<{ graphId: number; jobId: number }> {
    const rows = Array.from({ length: cities }, (_, row) => `${row},城市${row}\n`).join('');
    const csv = { 'Content-Type': 'text/csv' };
    await ask(url, token, { method: 'PUT', path: `/warehouse/connections/1/tables/${table}`, headers: csv, body: `id,name\n${rows}` });
    const graph = await post(url, '/graphs', { name: table });
    const mapping = `version: 1\nnodes:\n  - {id: c, label: 城市, table: ${table}, key: [id], columns: [{column: id}, {column: name}]}\n`;
    const job = await post(url, '/ingestion/jobs', { graph_id: graph.id, name: table, mapping_yaml: mapping });
    return { graphId: graph.id, jobId: job.id };
  }

  it(`cuts no request under way, ${rounds} times under load`, async () => {
    let answered = 0;
    let slowestMs = 0;
    let runId: number | undefined;
    for (let round = 0; round < rounds; round++) {
      const service = services[0] ?? (await start({ WORKER: 'off' }));
      const { url } = service;
      // A user may have few runs in the queue, and no worker takes them.
      const cancelled = runId === undefined ? null : await ask(url, token, { method: 'POST', path: `/ingestion/runs/${runId}/cancel` });
      if (cancelled) expect(cancelled.status).toBe(202);
      const { jobId, graphId } = await createJob(url, `cities_${round}`, 1);
      const rows = Array.from({ length: 20 }, (_, row) => `${row},城市${row}\n`);
      const load = askUntilRefused(url, token, 8);
      const keptAlive = new http.Agent({ keepAlive: true, maxSockets: 1 });
      await ask(url, token, { path: '/health/ready', agent: keptAlive });
      const upload = ask(url, token, {
          method: 'PUT', path: `/warehouse/connections/1/tables/uploaded_${round}`, headers: { 'Content-Type': 'text/csv' },
          chunks: ['id,name\n', ...rows], everyMs: 150,
        }); // prettier-ignore
      let isAnswered = false;
      const waiting = ask(url, token, { method: 'POST', path: `/ingestion/jobs/${jobId}/run`, headers: { Prefer: 'wait=60' } });
      const end = (): void => void (isAnswered = true);
      void waiting.then(end, end);
      runId = undefined;
      while (runId === undefined) {
        expect(isAnswered).toBe(false);
        await sleep(50);
        const runs = JSON.parse((await ask(url, token, { path: `/ingestion/jobs/${jobId}/runs` })).body) as { items: { id: number }[] };
        runId = runs.items[0]?.id;
      }
      let isWatching = false;
      const events = ask(url, token, {
        path: `/ingestion/runs/${runId}/events`,
        onText: text => (isWatching ||= text.includes('event: progress')),
      });
      const query = ask(url, token, {
        method: 'POST',
        path: `/graphs/${graphId}/query`,
        headers: { 'Content-Type': 'application/json' },
        body: '{"search":"北京"}',
      });
      while (!isWatching) await sleep(10);

      const stopped = service.stop();
      // A request may reach the service before the signal, although the signal was sent first.
      const askReady = () => ask(url, token, { path: '/health/ready', agent: keptAlive });
      let ready = await askReady();
      while (ready.status === 200) ready = await askReady();
      expect(ready.status).toBe(503);
      expect(JSON.parse(ready.body)).toMatchObject({ status: 'stopping', checks: { database: 'ok' } });
      expect(ready.headers.connection).toBe('close');

      expect((await upload).status).toBe(201);
      expect((await query).status).toBe(200);
      const run = await waiting;
      expect(run.status).toBe(202);
      expect(JSON.parse(run.body)).toMatchObject({ status: 'queued' });
      const stream = await events;
      expect(stream.status).toBe(200);
      expect(stream.body).toContain('event: progress');
      const { code, ms } = await stopped;
      const outcome = await load;
      expect(outcome.cut).toEqual([]);
      expect(code).toBe(0);
      expect(ms).toBeLessThan(25_000);
      answered += outcome.answered;
      slowestMs = Math.max(slowestMs, ms);
      keptAlive.destroy();
      await services.pop()!.kill();
    }
    process.stdout.write(`${rounds} stops under load: ${answered} requests answered, 0 cut, slowest stop ${Math.round(slowestMs)} ms\n`);
  }, 3_600_000);

  it('stops with npm start, the command that people give to a supervisor', async () => {
    const service = await ServiceProcess.start({ throughNpm: true, environment: { DATABASE_URL: database.url } });
    services.push(service);
    await service.stop();
    // npm may end a moment before the service that it has started.
    for (const deadline = Date.now() + 10_000; (await answers(service.url)) && Date.now() < deadline;) await sleep(50);
    expect(await answers(service.url)).toBe(false);
    expect(service.log.map(({ msg }) => msg)).toContain('Stopping');
  });

  it('goes on answering for the configured delay, and tells probes that it stops', async () => {
    const service = await start({ SHUTDOWN_DELAY_SECONDS: '5', WORKER: 'off' });
    const { url } = service;
    const load = askUntilRefused(url, token, 4, 50);
    const upload = ask(url, token, {
      method: 'PUT', path: '/warehouse/connections/1/tables/delayed', headers: { 'Content-Type': 'text/csv' },
      chunks: ['id\n', ...Array.from({ length: 25 }, (_, row) => `${row}\n`)], everyMs: 100,
    }); // prettier-ignore
    await sleep(300);
    const stopped = service.stop();
    while ((await ask(url, token, { path: '/health/ready' })).status === 200) await sleep(10);
    // Each request has a connection of its own, like those of a probe or a new client. The loop ends well before the delay is over, even on
    // a busy machine.
    for (const until = performance.now() + 2_500; performance.now() < until; await sleep(250)) {
      const ready = await ask(url, token, { path: '/health/ready' });
      expect([ready.status, (JSON.parse(ready.body) as { status: string }).status]).toEqual([503, 'stopping']);
      expect((await ask(url, token, { path: '/health' })).status).toBe(200);
      expect((await ask(url, token, { path: '/auth/me' })).status).toBe(200);
    }
    expect((await upload).status).toBe(201);
    const { code, ms } = await stopped;
    expect(code).toBe(0);
    expect(ms).toBeGreaterThanOrEqual(5_000);
    expect(ms).toBeLessThan(25_000);
    const { answered, cut } = await load;
    expect(cut).toEqual([]);
    expect(answered).toBeGreaterThan(0);
  });

  it('answers requests that do not end in time with a 503, and ends all the same', async () => {
    const service = await start({ SHUTDOWN_SECONDS: '1' });
    const upload = ask(service.url, token, {
      method: 'PUT', path: '/warehouse/connections/1/tables/slow', headers: { 'Content-Type': 'text/csv' },
      chunks: ['id\n', ...Array.from({ length: 60 }, (_, row) => `${row}\n`)], everyMs: 100,
    }); // prettier-ignore
    await sleep(500);
    const { code } = await service.stop();
    if (code !== 0) throw new Error(service.stdout + service.stderr);
    const { status, body, headers } = await upload;
    expect(status).toBe(503);
    expect(JSON.parse(body)).toMatchObject({ success: false, code: 'service_stopping', detail: expect.stringContaining(' / ') });
    expect(headers['x-request-id']).toBeDefined();
    expect(headers['retry-after']).toBe('5');
  });

  it('gives back a run that is under way, and the next process finishes it', async () => {
    const service = await start();
    const { url } = service;
    const numbers = Array.from({ length: 400 }, (_, row) => `${row}\n`).join('');
    const csv = { 'Content-Type': 'text/csv' };
    await ask(url, token, { method: 'PUT', path: '/warehouse/connections/1/tables/numbers', headers: csv, body: `i\n${numbers}` });
    const graph = await post(url, '/graphs', { name: '大图' });
    // The query of this mapping takes some seconds.
    const mapping = `version: 1
nodes:
  - {id: c, label: 数, query: "SELECT count(*) AS id FROM numbers a, numbers b, numbers c", key: [id], columns: [{column: id}]}
`;
    const job = await post(url, '/ingestion/jobs', { graph_id: graph.id, name: 'many', mapping_yaml: mapping });
    const run = await post(url, `/ingestion/jobs/${job.id}/run`, {});
    const client = new pg.Client(database.url);
    client.on('error', () => undefined);
    await client.connect();
    const state = async () => {
      const { rows } = await client.query('SELECT status, phase, attempt, lease_owner FROM ingestion_runs WHERE id = $1', [run.id]);
      return rows[0] as { status: string; phase: string | null };
    };
    while (!(await state()).phase?.startsWith('staging')) await sleep(5);

    const { code } = await service.stop();
    expect(code).toBe(0);
    expect(await state()).toEqual({ status: 'queued', phase: null, attempt: 0, lease_owner: null });

    await start();
    for (const deadline = Date.now() + 60_000; (await state()).status !== 'succeeded' && Date.now() < deadline;) await sleep(50);
    const { rows: nodes } = await client.query(`SELECT key FROM ${graphTables(graph.id).nodes}`);
    await client.end();
    expect(nodes).toEqual([{ key: '64000000' }]);
  });
});

const answers = (url: string) =>
  fetch(`${url}/health`).then(
    () => true,
    () => false,
  );
