import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { RedisStorage } from '../src/limits/storage/redis.storage.js';
import { describeWithRedis, startRedis, type TestRedis } from './support/redis.js';
import { startTestApp, type TestApp } from './support/app.js';
import { noteStatements, sendLogin } from './support/limited-clients.js';

/** With a DATABASE_URL, the limits are stored in PostgreSQL. The URL itself is ignored: the test uses a database of its own. */
const onPostgres = {
  DATABASE_URL: 'postgresql://named-in-the-environment',
  RATE_LIMIT_SCALE: '1',
  TRUST_PROXY: '1',
  WORKER: 'off',
  LOG_LEVEL: 'silent',
};

async function timed<T>(work: PromiseLike<T>): Promise<{ ms: number; result: T }> {
  const startedAt = performance.now();
  const result = await work;
  return { ms: performance.now() - startedAt, result };
}

describe('limits in PostgreSQL, when it does not answer', () => {
  let test: TestApp;
  let other: pg.Client;
  beforeAll(async () => {
    test = await startTestApp(onPostgres);
    other = new pg.Client(test.databaseUrl);
    await other.connect();
  });
  afterAll(async () => {
    await other.end();
    await test.close();
  });

  it('refuse a login with a 500 in our shape in bounded time, and admit again afterwards', async () => {
    await other.query('BEGIN; LOCK TABLE rate_limit_hits');
    const { ms, result } = await timed(sendLogin(test, '198.51.100.1'));
    expect(result.status).toBe(500);
    expect(result.body).toEqual({ detail: expect.stringContaining(' / '), code: 'limits_unavailable' });
    expect(ms).toBeLessThan(20_000);
    await other.query('ROLLBACK');
    await sendLogin(test, '198.51.100.1').expect(401);
  });

  it('never let a request in uncounted, and never call a good token a bad one', async () => {
    await other.query('ALTER TABLE rate_limit_hits RENAME TO away');
    const answers = await Promise.all([
      ...Array.from({ length: 20 }, () => sendLogin(test, '198.51.100.2')),
      test.anonymous.post('/api/auth/register').send({}),
      test.admin.get('/api/auth/me'),
      test.anonymous.get('/api/nowhere'),
    ]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([500]));
    await test.anonymous.get('/health').expect(200);
    await other.query('ALTER TABLE away RENAME TO rate_limit_hits');
    await test.admin.get('/api/auth/me').expect(200);
  });

  it('forget their counts and go on after their table was emptied, as by a crash of the server', async () => {
    for (let count = 0; count < 10; count++) await sendLogin(test, '198.51.100.3').expect(401);
    await other.query('TRUNCATE rate_limit_hits');
    await sendLogin(test, '198.51.100.3').expect(401);
  });

  it('cost a blocked client no query', async () => {
    const user = await test.asUser('limited');
    const requests = [() => sendLogin(test, '198.51.100.5'), () => user.get('/api/auth/me')];
    for (const [index, count] of [11, 61].entries()) for (let sent = 0; sent < count; sent++) await requests[index]!();
    const statements = noteStatements(test);
    try {
      for (let sent = 0; sent < 40; sent++) expect((await requests[sent % 2]!()).status).toBe(429);
      expect(statements.noted()).toEqual([]);
    } finally {
      statements.stop();
    }
  });

  it('hold hashes, not addresses or names', async () => {
    await sendLogin(test, '198.51.100.4').expect(401);
    const { rows } = await other.query('SELECT encode(key, $1) AS key, octet_length(key) AS bytes FROM rate_limit_hits', ['escape']);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.map(row => row.bytes)).toEqual(rows.map(() => 32));
    expect(JSON.stringify(rows)).not.toContain('198.51');
  });
});

describeWithRedis('limits in Redis', () => {
  let redis: TestRedis;
  let test: TestApp;
  beforeAll(async () => {
    redis = await startRedis();
    test = await startTestApp({ ...onPostgres, REDIS_URL: redis.url });
  });
  afterAll(async () => {
    await test.close();
    await redis.stop();
  });

  it('are counted there when REDIS_URL is set', async () => {
    await sendLogin(test, '198.51.100.1').expect(401);
    const client = new Redis(redis.url);
    expect(await client.llen('rate-limit:login:198.51.100.1')).toBe(1);
    client.disconnect();
    const { rows } = await test.pool.query('SELECT count(*)::int AS rows FROM rate_limit_hits');
    expect(rows).toEqual([{ rows: 0 }]);
  });

  it('refuse with a 500 at once while it is away, and admit soon after its return', async () => {
    await redis.stop('SIGKILL');
    const away = await timed(sendLogin(test, '198.51.100.2'));
    expect(away.result.status).toBe(500);
    expect(away.result.body.code).toBe('limits_unavailable');
    expect(away.ms).toBeLessThan(20_000);
    await test.admin.get('/api/auth/me').expect(500);
    await test.anonymous.get('/health').expect(200);
    redis = await startRedis(redis.port);
    const back = await timed(untilStatus(401, () => sendLogin(test, '198.51.100.2')));
    expect(back.ms).toBeLessThan(30_000);
  });

  it('refuse with a 500 in bounded time while it hangs', async () => {
    process.kill(redis.pid, 'SIGSTOP');
    const hung = await Promise.all(Array.from({ length: 20 }, (_, index) => timed(sendLogin(test, `198.51.101.${index}`))));
    process.kill(redis.pid, 'SIGCONT');
    expect(new Set(hung.map(({ result }) => result.status))).toEqual(new Set([500]));
    expect(Math.max(...hung.map(({ ms }) => ms))).toBeLessThan(20_000);
    const back = await timed(untilStatus(401, () => sendLogin(test, '198.51.100.3')));
    expect(back.ms).toBeLessThan(30_000);
  });

  it('stop a start whose Redis is away or wants another password', async () => {
    await expect(RedisStorage.connect('redis://127.0.0.1:9')).rejects.toThrow('Redis does not answer');
    const client = new Redis(redis.url);
    await client.config('SET', 'requirepass', 'right-word');
    const refused = await timed(
      RedisStorage.connect(`redis://:wrong-word@127.0.0.1:${redis.port}`).then(
        () => 'connected',
        (error: Error) => error.message,
      ),
    );
    expect(refused.result).toBe('REDIS_URL: Redis 没有应答 / Redis does not answer');
    expect(refused.ms).toBeLessThan(20_000);
    await client.config('SET', 'requirepass', '');
    client.disconnect();
  });
});

async function untilStatus(status: number, request: () => PromiseLike<{ status: number }>): Promise<void> {
  while ((await request()).status !== status) await sleep(50);
}
