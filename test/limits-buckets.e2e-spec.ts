import { type Client, client, keyClient, startTestApp, type TestApp } from './support/app.js';
import { aLimitedUser, newAddress, send, sendLogin } from './support/limited-clients.js';
import { itLong } from './support/tier.js';

/** The clients differ by X-Forwarded-For. The service trusts this header from this machine. */
describe('buckets of rate limits', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp({ RATE_LIMIT_SCALE: '1', TRUST_PROXY: '127.0.0.1', CORS_ORIGINS: 'https://app.example.com' });
  });
  afterAll(() => test.close());

  const newUser = () => aLimitedUser(test);
  const loginFrom = (...login: [address: string, body?: object, path?: string]) => sendLogin(test, ...login);

  it('admits ten logins a minute from one address, right or wrong, under either path', async () => {
    const address = newAddress();
    const bodies = [
      { username: 'admin', password: 'correct-horse-7' },
      {},
      { username: 7 },
      { username: 'nobody', password: 'wrong-wrong' },
    ];
    const { admitted, refused } = await send(30, index =>
      loginFrom(address, bodies[index % bodies.length], index % 2 === 0 ? '/api/auth/login' : '/auth/login'),
    );
    expect(admitted).toHaveLength(10);
    expect(refused).toHaveLength(20);
    expect(new Set(admitted.map(({ status }) => status))).toEqual(new Set([200, 400, 401, 422]));
    await loginFrom(newAddress()).expect(401);
  });

  it('answers a refused request in the shape of the contract, with the time to wait', async () => {
    const address = newAddress();
    await send(10, () => loginFrom(address, {}));
    const { body, headers } = await loginFrom(address).set('Origin', 'https://app.example.com').expect(429);
    const seconds = Number(headers['retry-after']);
    expect(headers['retry-after']).toMatch(/^[1-9]\d?$/);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(body).toEqual({
      detail: `请求过于频繁，请在 ${seconds} 秒后重试 / Too many requests; retry after ${seconds} seconds`,
      code: 'too_many_requests',
      context: { bucket: 'login', limit: 10, window_s: 60, retry_after_s: seconds },
    });
    expect(headers['ratelimit-policy']).toBe('"login";q=10;w=60');
    expect(headers.ratelimit).toBe(`"login";r=0;t=${seconds}`);
    expect(headers['x-request-id']).toBeDefined();
    expect(headers['access-control-allow-origin']).toBe('https://app.example.com');
    expect(headers['access-control-expose-headers']).toMatch(/Retry-After,RateLimit,RateLimit-Policy/);
    expect(Object.keys(headers).filter(name => /retry-after-|x-ratelimit/.test(name))).toEqual([]);
  });

  it('tells an admitted request how many are left and when the next one is free', async () => {
    const address = newAddress();
    const { headers: first } = await loginFrom(address, {});
    expect(first['ratelimit-policy']).toBe('"login";q=10;w=60');
    expect(first.ratelimit).toBe('"login";r=9;t=60');
    const { headers: second } = await loginFrom(address, {});
    expect(second.ratelimit).toMatch(/^"login";r=8;t=(60|5\d)$/);
    expect(second['retry-after']).toBeUndefined();
  });

  it('keeps register and password apart, five each, per address and before any credential is looked at', async () => {
    const address = newAddress();
    const register = () => test.anonymous.post('/api/auth/register').set('X-Forwarded-For', address).send({});
    const password = (index: number) =>
      (index % 2 === 0 ? test.anonymous : client(test.url, 'a.b.c')).put('/api/auth/password').set('X-Forwarded-For', address).send({});
    expect((await send(20, register)).admitted).toHaveLength(5);
    const { admitted, refused } = await send(20, password);
    expect(admitted.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
    expect(refused[0]!.headers['ratelimit-policy']).toBe('"password";q=5;w=60');
    await loginFrom(address).expect(401);
  });

  it('counts queries of one user together, over graphs and addresses, and apart from another user', async () => {
    const [one, other] = [await newUser(), await newUser()];
    const query = (who: Client) => (index: number) =>
      who
        .post(`${index % 3 === 0 ? '' : '/api'}/graphs/${1 + (index % 4)}/query`)
        .set('X-Forwarded-For', newAddress())
        .send({});
    const { admitted, refused } = await send(50, query(one));
    expect(admitted).toHaveLength(30);
    expect(refused[0]!.body.context.bucket).toBe('query');
    expect((await send(31, query(other))).admitted).toHaveLength(30);
    await one.get('/api/auth/me').expect(200);
  });

  it('admits thirty runs a minute to a user', async () => {
    const user = await newUser();
    const { admitted, refused } = await send(40, index => user.post(`/api/ingestion/jobs/${1 + (index % 3)}/run`));
    expect(admitted).toHaveLength(30);
    expect(refused[0]!.headers['ratelimit-policy']).toBe('"run";q=30;w=60');
  });

  it('counts everything else of a user in one bucket of sixty, failed requests too', async () => {
    const user = await newUser();
    const requests = [
      () => user.get('/api/auth/me'),
      () => user.get('/graphs'),
      () => user.get('/api/graphs?limit=x'),
      () => user.get('/api/graphs/999999'),
      () => user.get('/api/users'),
      () => user.post('/api/metrics').send({}),
    ];
    const { admitted, refused } = await send(90, index => requests[index % requests.length]!());
    expect(admitted).toHaveLength(60);
    expect(refused).toHaveLength(30);
    expect(new Set(admitted.map(({ status }) => status))).toEqual(new Set([200, 400, 403, 404, 422]));
    expect(refused[0]!.headers['ratelimit-policy']).toBe('"user";q=60;w=60');
    const legacy = await user.get('/api/metrics').expect(429);
    expect(legacy.body).toMatchObject({ success: false, message: legacy.body.detail, code: 'too_many_requests' });
    await user.post('/api/graphs/1/query').send({}).expect(404);
  });

  it('gives an API key its own limit over all endpoints, in place of the limits of its user', async () => {
    const user = await newUser();
    const graph = (await user.post('/api/graphs').send({ name: '图' }).expect(201)).body;
    const key = { name: 'narrow', graph_ids: [graph.id], rate_limit: 7 };
    const narrow = keyClient(test.url, (await user.post('/api/api-keys').send(key).expect(201)).body.raw_key);
    const wide = keyClient(test.url, (await user.post('/api/api-keys').send({ ...key, name: 'wide', rate_limit: 70 })).body.raw_key);
    const mixed = (who: Client) => (index: number) =>
      index % 2 === 0 ? who.get(`/api/graphs/${graph.id}`) : who.post(`/api/graphs/${graph.id}/query`).send({});
    const { admitted, refused } = await send(20, mixed(narrow));
    expect(admitted).toHaveLength(7);
    expect(refused[0]!.headers['ratelimit-policy']).toBe('"api_key";q=7;w=60');
    expect((await send(90, mixed(wide))).admitted).toHaveLength(70);
    await user.get('/api/auth/me').expect(200);
  });

  it('documents its buckets on exactly the routes that have one', async () => {
    const { body } = await test.anonymous.get('/openapi.json').expect(200);
    const documented = Object.entries<Record<string, { 'x-rate-limit'?: { bucket: string; requests: number; per: string } }>>(
      body.paths,
    ).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => operation['x-rate-limit'])
        .map(([method, { 'x-rate-limit': limit }]) => `${method} ${path}: ${limit!.bucket}, ${limit!.requests} per ${limit!.per}`),
    );
    expect(documented.sort()).toEqual([
      'post /api/auth/login: login, 10 per client IP',
      'post /api/auth/register: register, 5 per client IP',
      'post /api/graphs/{id}/query/events: query, 30 per user',
      'post /api/graphs/{id}/query: query, 30 per user',
      'post /api/graphs/{id}/saved-queries/{saved_query_id}/run: query, 30 per user',
      'post /api/ingestion/jobs/{id}/run: run, 30 per user',
      'post /api/metrics/{id}/watches/{watch_id}/check: run, 30 per user',
      'post /api/warehouse/connections/{id}/mirror: run, 30 per user',
      'post /api/warehouse/mirror-copies/{id}/run: run, 30 per user',
      'put /api/auth/password: password, 5 per client IP',
    ]);
  });
});

describe("rate limits of one's own", () => {
  itLong('follow the settings, and are told with what is left of them', async () => {
    const test = await startTestApp({ RATE_LIMIT_SCALE: '1', RATE_LIMIT_USER: '4', RATE_LIMIT_QUERY: '2', MAX_GRAPHS_PER_USER: '3' });
    try {
      const user = await test.asUser('han.mei');
      const limits = async () => {
        const { body } = await user.get('/api/auth/me?include=limits').expect(200);
        return body.limits.map(({ name, limit, left, window_seconds: seconds }: any) => [name, limit, left, seconds]);
      };
      expect(await limits()).toEqual([
        ['query', 2, 2, 60],
        ['run', 30, 30, 60],
        ['user', 4, 3, 60],
        ['graphs', 3, 3, null],
        ['api_keys', 20, 20, null],
        ['api_key_requests', 1_200, 1_200, null],
        ['tables', 10_000, 10_000, null],
        ['schedules', 200, 200, null],
        ['webhooks', 200, 200, null],
      ]);
      await user.post('/api/graphs').send({ name: '图' }).expect(201);
      await user.post('/api/graphs/1/query').send({ search: 'x' }).expect(200);
      expect(await limits()).toEqual([
        ['query', 2, 1, 60],
        ['run', 30, 30, 60],
        ['user', 4, 1, 60],
        ['graphs', 3, 2, null],
        ['api_keys', 20, 20, null],
        ['api_key_requests', 1_200, 1_200, null],
        ['tables', 10_000, 10_000, null],
        ['schedules', 200, 200, null],
        ['webhooks', 200, 200, null],
      ]);
      expect((await user.get('/api/auth/me').expect(200)).body.limits).toBeUndefined();
      await user.get('/api/auth/me').expect(429);
      const { body } = await test.anonymous.get('/openapi.json').expect(200);
      expect(body.paths['/api/graphs/{id}/query'].post['x-rate-limit']).toMatchObject({ requests: 2 });
    } finally {
      await test.close();
    }
  });
});
