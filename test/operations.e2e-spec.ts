import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceStop } from '../src/common/stopping/service-stop.js';
import { MetricsEndpoint } from '../src/telemetry/metrics-endpoint.service.js';
import { startTestApp, type TestApp } from './support/app.js';
import { aGraph, aJob, runToEnd, upload } from './support/ingestion.js';
import { freePort } from './support/service-process.js';

describe('health and settings', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp({ REGISTRATION_ENABLED: 'false' });
  });
  afterAll(() => test.close());

  it('say that the process lives, and whether requests should come', async () => {
    expect((await test.anonymous.get('/health').expect(200)).body).toEqual({ status: 'ok' });
    const ready = async () => (await test.anonymous.get('/api/health/ready').expect(200)).body;
    // Its process starts after the API listens.
    for (const deadline = Date.now() + 20_000; (await ready()).checks.retrieval !== 'ok' && Date.now() < deadline;) await sleep(50);
    expect(await ready()).toEqual({ status: 'ok', checks: { database: 'ok', retrieval: 'ok' } });
  });

  it('say that the service lives and is not ready while it stops', async () => {
    jest.spyOn(test.app.get(ServiceStop), 'hasBegun', 'get').mockReturnValue(true);
    await test.anonymous.get('/health').expect(200);
    const { body } = await test.anonymous.get('/health/ready').expect(503);
    expect(body).toMatchObject({ status: 'stopping', checks: { database: 'ok' } });
    jest.restoreAllMocks();
  });

  it('tell anyone the version, whether registration is open, and the languages', async () => {
    const { body } = await test.anonymous.get('/api/settings').expect(200);
    const { version } = JSON.parse(readFileSync(path.resolve(__dirname, '..', 'package.json'), 'utf8'));
    expect(body).toEqual({ version, registration_open: false, languages: ['zh', 'en'] });
    expect((await test.anonymous.get('/openapi.json')).body.info.version).toBe(version);
  });

  it('show no metrics on the port of the API, and open no other port by default', async () => {
    await test.anonymous.get('/metrics').expect(401);
    const { text } = await test.admin.get('/metrics').expect(200);
    expect(text).not.toContain('http_requests_total');
    expect(test.app.get(MetricsEndpoint).port).toBeNull();
  });
});

describe('metrics', () => {
  let test: TestApp;
  let url: string;
  beforeAll(async () => {
    const port = await freePort();
    test = await startTestApp({ METRICS_PORT: String(port) });
    url = `http://127.0.0.1:${port}/metrics`;
  });
  afterAll(() => test.close());

  const read = async (): Promise<string> => (await fetch(url)).text();
  /** The value of a series, or 0 if it does not exist yet. */
  async function value(name: string, labels: Record<string, string | number> = {}): Promise<number> {
    const wanted = Object.entries(labels).map(([label, of]) => `${label}="${of}"`);
    const line = (await read())
      .split('\n')
      .find(text => text.startsWith(name) && /^[{ ]/.test(text.slice(name.length)) && wanted.every(label => text.includes(label)));
    return line === undefined ? 0 : Number(line.slice(line.lastIndexOf(' ') + 1));
  }

  it('are in the text format of Prometheus, on their own path only', async () => {
    const response = await fetch(url);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    for (const line of (await response.text()).split('\n').filter(Boolean))
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{[^}]*\})? [-+\w.]+)$/);
    expect((await fetch(url.replace('/metrics', '/'))).status).toBe(404);
    expect((await fetch(url, { method: 'POST' })).status).toBe(404);
  });

  it('report the process, its event loop, its pools and its queue', async () => {
    expect(await value('process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
    expect(await read()).toMatch(/^nodejs_eventloop_lag_seconds [\d.e-]+$/m);
    expect(await value('database_up')).toBe(1);
    expect(await read()).toMatch(/^password_hashing_waiting 0$/m);
    const text = await read();
    for (const pool of ['records', 'service', 'mirror reader', 'mirror upload']) {
      for (const state of ['idle', 'busy', 'waiting']) expect(text).toContain(`database_pool_connections{pool="${pool}",state="${state}"}`);
    }
  });

  it('count requests by the template of their route, with no id in any label', async () => {
    const graphId = await aGraph(test, '指标');
    const labels = { method: 'GET', route: '/graphs/:id', status: 200 };
    const before = await value('http_requests_total', labels);
    await test.admin.get(`/api/graphs/${graphId}`).expect(200);
    await test.admin.get(`/graphs/${graphId}`).expect(200);
    await test.admin.get('/api/graphs/987654').expect(404);
    await test.anonymous.get('/api/no/such/route-of-a-canary?and=canary').expect(404);
    expect(await value('http_requests_total', labels)).toBe(before + 2);
    expect(await value('http_requests_total', { ...labels, status: 404 })).toBe(1);
    expect(await value('http_requests_total', { method: 'GET', route: 'none', status: 404 })).toBe(1);
    expect(await value('http_request_duration_seconds_count', { method: 'GET', route: '/graphs/:id' })).toBe(before + 3);
    const text = await read();
    expect(text).not.toMatch(/canary|987654/);
    expect(text).not.toContain(`/graphs/${graphId}`);
  });

  it('count runs by their outcome and queries by the source of the answer', async () => {
    const graphId = await aGraph(test, '城市');
    await upload(test, 'cities', 'id,name\n1,北京\n2,上海\n');
    const mapping = 'version: 1\nnodes:\n  - {id: c, label: 城市, table: cities, key: [id], columns: [{column: id}, {column: name}]}\n';
    await runToEnd(test, await aJob(test, graphId, mapping));
    expect(await value('ingestion_runs_total', { status: 'succeeded' })).toBe(1);
    const ask = (body: object) =>
      test.admin
        .post(`/api/graphs/${graphId}/query`)
        .send({ search: '北京', ...body })
        .expect(200);
    await ask({});
    await ask({});
    await ask({ cache: 'refresh' });
    for (const cache of ['miss', 'hit', 'refresh']) expect(await value('graph_queries_total', { kind: 'search', cache })).toBe(1);
  });

  it('count the refusals of the limits, by bucket', async () => {
    const port = await freePort();
    const limited = await startTestApp({ RATE_LIMIT_SCALE: '1', METRICS_PORT: String(port) });
    try {
      const login = () => limited.anonymous.post('/api/auth/login').send({ username: 'nobody', password: 'wrong-horse' });
      while ((await login()).status !== 429);
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      expect(text).toMatch(/^rate_limit_refusals_total\{bucket="login"\} 1$/m);
    } finally {
      await limited.close();
    }
  });
});
