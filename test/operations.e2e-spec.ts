import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import http from 'node:http';
import { ServiceStop } from '../src/common/stopping/service-stop.js';
import { MetricsEndpoint } from '../src/telemetry/metrics-endpoint.service.js';
import { startTestApp, type TestApp } from './support/app.js';
import { aGraph, aJob, runToEnd, upload } from './support/ingestion.js';
import { freePort } from './support/free-port.js';
import { sendRaw } from './support/raw-http.js';

const origin = 'https://app.example.com';

interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: string;
}

/** An application that two origins may call, and in which registration is closed. */
let test: TestApp;
/**
 * A second application, in production, with metrics and without allowed origins. It starts only after the tests that use tokens of `test`,
 * because passport verifies tokens with the key of the application that started last.
 */
let production: TestApp;
beforeAll(async () => {
  test = await startTestApp(
    { CORS_ORIGINS: `${origin}, http://localhost:3000`, REGISTRATION_ENABLED: 'false' },
    { retrievalAtStart: true },
  );
});
afterAll(() => Promise.all([test.close(), production.close()]));

function send(method: string, path: string, headers: Record<string, string> = {}, body?: string, url = test.url): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request(`${url}${path}`, { method, headers, agent: false }, response => {
      let text = '';
      response.on('data', (part: Buffer) => (text += part.toString()));
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, body: text }));
    });
    request.on('error', reject);
    request.end(body);
  });
}

describe('health and settings', () => {
  it('say that the process lives, and whether requests should come', async () => {
    expect((await test.anonymous.get('/health').expect(200)).body).toEqual({ status: 'ok' });
    const ready = async () => (await test.anonymous.get('/api/health/ready').expect(200)).body;
    // The retrieval process starts only after the API listens.
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

  it('close registration', async () => {
    const { body } = await test.anonymous.post('/api/auth/register').send({ username: 'late', password: 'correct-horse-8' }).expect(403);
    expect(body.code).toBe('registration_closed');
  });

  it('show no metrics on the port of the API, and open no other port by default', async () => {
    await test.anonymous.get('/metrics').expect(401);
    const { text } = await test.admin.get('/metrics').expect(200);
    expect(text).not.toContain('http_requests_total');
    expect(test.app.get(MetricsEndpoint).port).toBeNull();
  });
});

describe('metrics', () => {
  let metricsUrl: string;
  beforeAll(async () => {
    const port = await freePort();
    production = await startTestApp({ NODE_ENV: 'production', METRICS_PORT: String(port) });
    metricsUrl = `http://127.0.0.1:${port}/metrics`;
  });

  const read = async (): Promise<string> => (await fetch(metricsUrl)).text();
  /** The value of a series, or 0 if it does not exist yet. */
  async function value(name: string, labels: Record<string, string | number> = {}): Promise<number> {
    const wanted = Object.entries(labels).map(([label, of]) => `${label}="${of}"`);
    const line = (await read())
      .split('\n')
      .find(text => text.startsWith(name) && /^[{ ]/.test(text.slice(name.length)) && wanted.every(label => text.includes(label)));
    return line === undefined ? 0 : Number(line.slice(line.lastIndexOf(' ') + 1));
  }

  it('are in the text format of Prometheus, on their own path only', async () => {
    const response = await fetch(metricsUrl);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    for (const line of (await response.text()).split('\n').filter(Boolean))
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{[^}]*\})? [-+\w.]+)$/);
    expect((await fetch(metricsUrl.replace('/metrics', '/'))).status).toBe(404);
    expect((await fetch(metricsUrl, { method: 'POST' })).status).toBe(404);
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
    const graphId = await aGraph(production, '指标');
    const labels = { method: 'GET', route: '/graphs/:id', status: 200 };
    const before = await value('http_requests_total', labels);
    await production.admin.get(`/api/graphs/${graphId}`).expect(200);
    await production.admin.get(`/graphs/${graphId}`).expect(200);
    await production.admin.get('/api/graphs/987654').expect(404);
    await production.anonymous.get('/api/no/such/route-of-a-canary?and=canary').expect(404);
    expect(await value('http_requests_total', labels)).toBe(before + 2);
    expect(await value('http_requests_total', { ...labels, status: 404 })).toBe(1);
    expect(await value('http_requests_total', { method: 'GET', route: 'none', status: 404 })).toBe(1);
    expect(await value('http_request_duration_seconds_count', { method: 'GET', route: '/graphs/:id' })).toBe(before + 3);
    const text = await read();
    expect(text).not.toMatch(/canary|987654/);
    expect(text).not.toContain(`/graphs/${graphId}`);
  });

  it('count runs by their outcome and queries by the source of the answer', async () => {
    const graphId = await aGraph(production, '城市');
    await upload(production, 'cities', 'id,name\n1,北京\n2,上海\n');
    const mapping = 'version: 1\nnodes:\n  - {id: c, label: 城市, table: cities, key: [id], columns: [{column: id}, {column: name}]}\n';
    await runToEnd(production, await aJob(production, graphId, mapping));
    expect(await value('ingestion_runs_total', { status: 'succeeded' })).toBe(1);
    const ask = (body: object) =>
      production.admin
        .post(`/api/graphs/${graphId}/query`)
        .send({ search: '北京', ...body })
        .expect(200);
    await ask({});
    await ask({});
    await ask({ cache: 'refresh' });
    for (const cache of ['miss', 'hit', 'refresh']) expect(await value('graph_queries_total', { kind: 'search', cache })).toBe(1);
  });
});

describe('limits', () => {
  let limited: TestApp;
  let limitsUrl: string;
  beforeAll(async () => {
    const port = await freePort();
    limited = await startTestApp({ CORS_ORIGINS: origin, RATE_LIMIT_SCALE: '1', METRICS_PORT: String(port) });
    limitsUrl = `http://127.0.0.1:${port}/metrics`;
  });
  afterAll(() => limited.close());

  it('count no preflight', async () => {
    const headers = { Origin: origin, 'Access-Control-Request-Method': 'POST' };
    // 320 requests exceed the 300 that an address without credentials may send in a minute.
    for (let asked = 0; asked < 320; asked++) {
      const { status } = await send('OPTIONS', '/api/graphs/1/query', headers, undefined, limited.url);
      if (status !== 204) throw new Error(`Preflight ${asked} was answered with ${status}`);
    }
    const login = await send(
      'POST', '/api/auth/login', { Origin: origin, 'Content-Type': 'application/json' }, '{"username":"nobody","password":"wrong"}', limited.url,
    ); // prettier-ignore
    expect(login.status).toBe(401);
  });

  it('count their refusals, by bucket', async () => {
    const login = () => limited.anonymous.post('/api/auth/login').send({ username: 'nobody', password: 'wrong-horse' });
    while ((await login()).status !== 429);
    const text = await (await fetch(limitsUrl)).text();
    expect(text).toMatch(/^rate_limit_refusals_total\{bucket="login"\} 1$/m);
  });
});

/**
 * The response headers for browsers: which origins may call, and what a page may do with an answer. Requests are sent with `http.request`,
 * because `fetch` does not let a caller set `Origin`.
 */
describe('rules for browsers', () => {
  const preflight = (from: string, path = '/api/graphs') =>
    send('OPTIONS', path, {
      Origin: from,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization, x-evil',
    });

  describe('origins', () => {
    it.each([origin, 'http://localhost:3000'])('lets %s in', async from => {
      const { headers } = await send('GET', '/api/settings', { Origin: from });
      expect(headers['access-control-allow-origin']).toBe(from);
      expect(headers.vary).toContain('Origin');
    });

    it.each([
      'null',
      'https://app.example.com.evil.test',
      'https://evil.app.example.com',
      'https://app.example.co',
      'https://evilapp.example.com',
      'https://APP.example.com',
      'HTTPS://app.example.com',
      'https://app.example.com:443',
      'https://app.example.com:8443',
      'http://app.example.com',
      'https://app.example.com/',
      'https://app.example.com http://localhost:3000',
      'http://localhost:30000',
      'http://localhost',
      '*',
      '',
    ])('does not let %p in, and reflects nothing of it', async from => {
      for (const answer of [await send('GET', '/api/settings', { Origin: from }), await preflight(from)]) {
        expect(answer.headers['access-control-allow-origin']).toBeUndefined();
        expect(answer.headers.vary).toContain('Origin');
        expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
      }
    });

    it.each([
      ['401', 'GET', '/api/auth/me', undefined, 401],
      ['404', 'GET', '/api/nowhere', undefined, 404],
      ['400 of the body parser', 'POST', '/api/auth/login', '{', 400],
      ['422', 'POST', '/api/auth/login', '{"username":1,"password":2}', 422],
      ['400 of the path', 'GET', '/api/graphs/%FF', undefined, 400],
    ])('may read a %s too, with its request id', async (_, method, path, body, status) => {
      const answer = await send(method, path, { Origin: origin, 'Content-Type': 'application/json' }, body);
      expect(answer.status).toBe(status);
      expect(answer.headers['access-control-allow-origin']).toBe(origin);
      expect(answer.headers['access-control-expose-headers']).toContain('X-Request-ID');
      expect(answer.headers['access-control-expose-headers']).toContain('Retry-After');
      expect(answer.headers['x-request-id']).toBeDefined();
    });

    it('may ask in advance without credentials, for the headers that the API reads and no others', async () => {
      const answer = await preflight(origin, '/api/graphs/1/query');
      expect(answer.status).toBe(204);
      expect(answer.headers['access-control-allow-origin']).toBe(origin);
      expect(answer.headers['access-control-allow-methods']).toBe('GET,HEAD,POST,PUT,PATCH,DELETE');
      expect(answer.headers['access-control-allow-headers']).toContain('Authorization');
      expect(answer.headers['access-control-allow-headers']).not.toContain('x-evil');
      expect(answer.headers['access-control-max-age']).toBe('600');
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    });

    it('are all refused when none is configured', async () => {
      const answer = await send('GET', '/api/settings', { Origin: origin }, undefined, production.url);
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      const headers = { Origin: origin, 'Access-Control-Request-Method': 'GET' };
      expect((await send('OPTIONS', '/api/settings', headers, undefined, production.url)).status).toBe(404);
    });
  });

  describe('answers', () => {
    it.each([
      ['an answer', '/api/settings'],
      ['an error', '/api/auth/me'],
      ['an unknown route', '/api/nowhere'],
      ['the API document', '/openapi.json'],
      ['a path without the prefix', '/settings'],
    ])('%s may not be stored, sniffed, framed or run', async (_, path) => {
      const { headers } = await send('GET', path);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none';frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
      });
      expect(headers['x-powered-by']).toBeUndefined();
      expect(headers.etag).toBeUndefined();
    });

    it('let Swagger UI run only its own scripts, and it needs no others', async () => {
      const page = await send('GET', '/docs');
      expect(page.status).toBe(200);
      const policy = page.headers['content-security-policy']!;
      expect(policy).toContain("script-src 'self';");
      expect(policy).not.toMatch(/unsafe-eval|upgrade-insecure-requests|script-src[^;]*unsafe-inline/);
      // Every script is loaded from this origin. The page has no inline script and no event handler attribute.
      const scripts = [...page.body.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g)];
      expect(scripts.length).toBeGreaterThan(0);
      for (const [, attributes, text] of scripts) {
        expect(text!.trim()).toBe('');
        const source = /src=['"]([^'"]+)['"]/.exec(attributes!)![1]!;
        expect(source).not.toMatch(/^(https?:)?\/\//);
        const script = await send('GET', new URL(source, 'http://x/docs').pathname);
        expect(script.status).toBe(200);
        expect(script.headers['content-type']).toContain('javascript');
      }
      expect(page.body).not.toMatch(/ on\w+=["']|javascript:/i);
      for (const [, source] of page.body.matchAll(/<link[^>]+href=["']([^"']+)["']/g)) expect(source).not.toMatch(/^(https?:)?\/\//);
    });

    it('keep no token of Swagger UI in the browser in production', async () => {
      const initialised = async (url: string) => (await send('GET', '/docs/swagger-ui-init.js', {}, undefined, url)).body;
      expect(await initialised(test.url)).toMatch(/"persistAuthorization": true/);
      expect(await initialised(production.url)).toMatch(/"persistAuthorization": false/);
    });
  });

  it.each([
    ['431', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(9_000)}\r\n\r\n`, 431],
    ['400 of the parser', 'NONSENSE\r\n\r\n', 400],
    ['refused CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', 405],
  ])('give a %s, which no route answers, the same headers as any other answer', async (_, bytes, status) => {
    const usual = (await send('GET', '/api/nowhere')).headers;
    const [answer] = (await sendRaw(test.url, bytes)).responses;
    expect(answer!.status).toBe(status);
    const fixed = Object.entries(usual).filter(
      ([name]) => !/^(x-request-id|date|content-length|connection|keep-alive|vary|ratelimit.*|access-control-.*)$/.test(name),
    );
    expect(fixed.map(([name]) => name)).toEqual(
      expect.arrayContaining(['content-security-policy', 'x-content-type-options', 'cache-control']),
    );
    expect(answer!.headers).toMatchObject(Object.fromEntries(fixed));
    expect(answer!.headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
  });
});
