import { type Client, client, keyClient, startTestApp, type TestApp, userPassword } from './support/app.js';
import { asSuperuser } from './support/database.js';
import { aLimitedUser, newAddress, noteStatements, send, sendLogin } from './support/limited-clients.js';

/** Expects that one client got its share once for each minute that the requests took. A long run may take more than one minute. */
function expectOneShare(admitted: number, limit: number, startedAt: number): void {
  expect(admitted).toBeGreaterThanOrEqual(limit);
  expect(admitted).toBeLessThanOrEqual(limit * Math.ceil((performance.now() - startedAt) / 60_000));
}

/** The clients differ by X-Forwarded-For. The service trusts this header from this machine. */
describe('clients of rate limits', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp({
      RATE_LIMIT_SCALE: '1',
      TRUST_PROXY: '127.0.0.1',
      CORS_ORIGINS: 'https://app.example.com',
      // The worker queries the database for runs. A test that counts the queries of a request would count these too.
      WORKER: 'off',
      // One of these tests causes hundreds of faults.
      LOG_LEVEL: 'silent',
    });
  });
  afterAll(() => test.close());

  const newUser = () => aLimitedUser(test);
  const loginFrom = (...login: [address: string, body?: object, path?: string]) => sendLogin(test, ...login);

  describe('the limit of anonymous traffic', () => {
    const anonymousRequests = (address: string) => {
      const from = (request: ReturnType<Client['get']>) => request.set('X-Forwarded-For', address);
      return [
        () => from(test.anonymous.get('/api/nowhere')),
        () => from(test.anonymous.post('/api/nowhere')).type('json').send('{"username":'),
        () => from(test.anonymous.get('/api/graphs')),
        () => from(client(test.url, 'a.b.c').get('/api/auth/me')),
        () => from(keyClient(test.url, 'junk').get('/api/auth/me')),
        () => from(test.anonymous.get('/openapi.json')),
        () => from(test.anonymous.post('/api/auth/login')).type('form').send('username=a'),
        () => from(test.anonymous.get('/api/graphs/%FF')),
      ];
    };

    it('admits three hundred a minute from one address, and refuses the rest before bodies and credentials', async () => {
      const address = newAddress();
      const user = await newUser();
      await user.get('/api/auth/me').set('X-Forwarded-For', address).expect(200);
      const requests = anonymousRequests(address).filter((_, index) => index !== 6);
      const { admitted, refused } = await send(400, index => requests[index % requests.length]!());
      expect(admitted).toHaveLength(300);
      expect(refused).toHaveLength(100);
      expect(new Set(admitted.map(({ status }) => status))).toEqual(new Set([200, 400, 401, 404]));
      expect(refused[0]!.headers['ratelimit-policy']).toBe('"anonymous";q=300;w=60');

      for (const path of ['/health', '/health/', '/api/health/ready', '/api/health/ready/']) {
        const health = await test.anonymous.get(path).set('X-Forwarded-For', address).expect(200);
        expect(health.headers.ratelimit).toBeUndefined();
      }
      await user.get('/api/auth/me').set('X-Forwarded-For', address).expect(200);
      await test.anonymous.get('/api/nowhere').set('X-Forwarded-For', newAddress()).expect(404);
    });

    it('serves new good tokens, and logins, from a blocked address; ended tokens cost it one query', async () => {
      const address = newAddress();
      const [fresh, ended] = [await newUser(), await newUser()];
      await ended.post('/api/auth/logout').expect(204);
      await send(301, () => test.anonymous.get('/api/nowhere').set('X-Forwarded-For', address));
      await fresh.get('/api/auth/me').set('X-Forwarded-For', address).expect(200);
      await loginFrom(address, { username: 'limited-0', password: userPassword }).expect(200);
      await ended.get('/api/auth/me').set('X-Forwarded-For', address).expect(429);
      const statements = noteStatements(test);
      try {
        for (const refused of [ended.get('/api/auth/me'), client(test.url, `${fresh.token}A`).get('/api/auth/me')]) {
          await refused.set('X-Forwarded-For', address).expect(429);
        }
        expect(statements.noted()).toEqual([]);
      } finally {
        statements.stop();
      }
    });

    it('counts its own faults against nobody', async () => {
      const address = newAddress();
      const user = await newUser();
      await asSuperuser(test.databaseUrl, 'ALTER TABLE users RENAME TO users_away');
      try {
        const { admitted } = await send(310, () => user.get('/api/auth/me').set('X-Forwarded-For', address));
        expect(new Set(admitted.map(({ status }) => status))).toEqual(new Set([500]));
        expect(admitted).toHaveLength(310);
      } finally {
        await asSuperuser(test.databaseUrl, 'ALTER TABLE users_away RENAME TO users');
      }
      await user.get('/api/auth/me').set('X-Forwarded-For', address).expect(200);
      const { headers } = await test.anonymous.get('/api/nowhere').set('X-Forwarded-For', address).expect(404);
      expect(headers.ratelimit).toBe('"anonymous";r=299;t=60');
    });

    it('refuses a flood of logins in the bucket of logins, from a blocked address too', async () => {
      const address = newAddress();
      await send(301, () => test.anonymous.get('/api/nowhere').set('X-Forwarded-For', address));
      const { admitted, refused } = await send(15, () => loginFrom(address));
      expect([admitted.length, refused.length]).toEqual([10, 5]);
      expect(refused[0]!.headers['ratelimit-policy']).toBe('"login";q=10;w=60');
      await test.anonymous.put('/api/auth/login').set('X-Forwarded-For', address).send({}).expect(429);
    });

    it('drops a known caller that adds to the flood of a blocked address', async () => {
      const address = newAddress();
      const user = await newUser();
      await user.get('/api/auth/me').set('X-Forwarded-For', address).expect(200);
      await send(301, () => test.anonymous.get('/api/nowhere').set('X-Forwarded-For', address));
      await user.get('/api/nowhere').set('X-Forwarded-For', address).expect(429);
      await user.get('/api/auth/me').set('X-Forwarded-For', address).expect(429);
      await user.get('/api/auth/me').set('X-Forwarded-For', newAddress()).expect(200);
    });

    it('leaves preflight requests of the known origins uncounted', async () => {
      const address = newAddress();
      const preflight = () =>
        fetch(`${test.url}/api/graphs`, {
          method: 'OPTIONS',
          headers: { 'X-Forwarded-For': address, Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'GET' },
        });
      for (let count = 0; count < 320; count++) expect((await preflight()).status).toBe(204);
    });

    it('does not count logins and requests of users', async () => {
      const address = newAddress();
      const user = await newUser();
      await send(5, () => loginFrom(address, {}));
      await send(20, () => user.get('/api/auth/me').set('X-Forwarded-For', address));
      const { headers } = await test.anonymous.get('/api/nowhere').set('X-Forwarded-For', address).expect(404);
      expect(headers.ratelimit).toBe('"anonymous";r=299;t=60');
    });
  });

  it('costs a blocked client no query, whatever it is blocked by', async () => {
    const address = newAddress();
    const user = await newUser();
    await send(11, () => loginFrom(address, {}));
    await send(301, () => test.anonymous.get('/api/nowhere').set('X-Forwarded-For', address));
    await send(61, () => user.get('/api/auth/me'));
    await send(31, () => user.post('/api/graphs/1/query').send({}));
    const statements = noteStatements(test);
    try {
      const requests = [
        () => loginFrom(address),
        () => test.anonymous.get('/api/nowhere').set('X-Forwarded-For', address),
        () => client(test.url, 'a.b.c').get('/api/auth/me').set('X-Forwarded-For', address),
        () => user.get('/api/auth/me'),
        () => user.get('/api/graphs/1'),
        () => user.post('/api/graphs/1/query').send({}),
      ];
      const { refused } = await send(120, index => requests[index % requests.length]!());
      expect(refused).toHaveLength(120);
      expect(statements.noted()).toEqual([]);
      await newUser();
      expect(statements.noted()).not.toEqual([]);
    } finally {
      statements.stop();
    }
  });

  it.each([
    ['addresses of one IPv6 /64', (index: number) => `2001:db8:1:7:${index.toString(16)}::1`],
    ['forged entries before the one that the proxy wrote', (index: number) => `10.${index >> 8}.${index & 255}.1, 192.0.2.77`],
    ['IPv4 addresses mapped into IPv6, and plain', (index: number) => (index % 2 === 0 ? '::ffff:192.0.2.78' : '192.0.2.78')],
  ])('counts %s as one client', async (_, addressOf) => {
    const startedAt = performance.now();
    const { admitted } = await send(10_000, index => loginFrom(addressOf(index), {}));
    expectOneShare(admitted.length, 10, startedAt);
  });
});

describe('rate limits without a trusted proxy', () => {
  it('ignore a forged X-Forwarded-For', async () => {
    const test = await startTestApp({ RATE_LIMIT_SCALE: '1' });
    try {
      const startedAt = performance.now();
      let admitted = 0;
      for (let index = 0; index < 10_000; index++) {
        const forged = `198.51.${(index >> 8) & 255}.${index & 255}`;
        const { status } = await test.anonymous.post('/api/auth/login').set('X-Forwarded-For', forged).send({});
        if (status !== 429) admitted += 1;
      }
      // The other two of the ten were the admin's logins at the start.
      expectOneShare(admitted + 2, 10, startedAt);
    } finally {
      await test.close();
    }
  });
});
