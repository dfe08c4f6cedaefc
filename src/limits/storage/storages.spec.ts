import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { cloneDatabase, untilBlocking } from '../../../test/support/database.js';
import { behavesAsStorage, type Stand } from '../../../test/support/limit-storage.contract.js';
import { describeWithRedis, startRedis } from '../../../test/support/redis.js';
import { itLong } from '../../../test/support/tier.js';
import { windowMs } from '../charge.js';
import { MemoryStorage } from './memory.storage.js';
import { limitsPool, PostgresStorage } from './postgres.storage.js';
import { RedisStorage } from './redis.storage.js';

const poolOn = (url: string, more: pg.PoolConfig = {}) => new pg.Pool({ connectionString: url, ...limitsPool, ...more });

function inMemory(): Promise<Stand> {
  let now = 0;
  return Promise.resolve({
    storage: new MemoryStorage(() => now),
    setClock: ms => Promise.resolve((now = ms)),
    close: () => Promise.resolve(),
  });
}

/** A storage whose statement calls `test_clock.clock_timestamp`, because that schema comes before PostgreSQL's own in the search path. */
async function inPostgres(): Promise<Stand> {
  const database = await cloneDatabase();
  const client = new pg.Client(database.url);
  await client.connect();
  await client.query(`
    CREATE SCHEMA test_clock;
    CREATE TABLE test_clock.time (at timestamptz);
    INSERT INTO test_clock.time VALUES ('2026-01-01 00:00:00Z');
    CREATE FUNCTION test_clock.clock_timestamp() RETURNS timestamptz VOLATILE LANGUAGE sql AS 'SELECT at FROM test_clock.time'`);
  const storage = new PostgresStorage(poolOn(database.url, { options: '-c search_path=test_clock,pg_catalog,public' }));
  return {
    storage,
    setClock: ms => client.query(`UPDATE test_clock.time SET at = '2026-01-01 00:00:00Z'::timestamptz + $1 * interval '1 ms'`, [ms]),
    async close() {
      await storage.onApplicationShutdown();
      await client.end();
      await database.drop();
    },
  };
}

async function inRedis(): Promise<Stand> {
  const server = await startRedis();
  const redis = new Redis(server.url);
  await redis.set('test-clock', '1767225600000000');
  const storage = await RedisStorage.connect(server.url, "local now = tonumber(redis.call('GET', 'test-clock'))");
  return {
    storage,
    setClock: ms => redis.set('test-clock', String(1_767_225_600_000_000 + Math.round(ms * 1000))),
    async close() {
      storage.onApplicationShutdown();
      redis.disconnect();
      await server.stop();
    },
  };
}

describe('the limits of one process, in memory', () => {
  behavesAsStorage(inMemory, { runs: 1_000, clockGoesBack: false });

  it('forgets a key within two windows, and keeps no more keys than it may', async () => {
    let now = 0;
    const storage = new MemoryStorage(() => now, 100);
    for (let count = 0; count < 10_000; count++) await storage.increment(`address ${count}`, windowMs, 10, 0, 'login');
    expect(keysOf(storage)).toBeLessThanOrEqual(200);
    for (let step = 0; step < 3; step++) {
      now += windowMs;
      await storage.increment('another', windowMs, 10, 0, 'login');
    }
    expect(keysOf(storage)).toBe(1);
  });

  it('lets no number of addresses displace a user', async () => {
    const storage = new MemoryStorage(() => 0, 100);
    for (let count = 0; count < 60; count++) await storage.increment('user:1', windowMs, 60, 0, 'user');
    for (let count = 0; count < 10_000; count++) await storage.increment(`address ${count}`, windowMs, 10, 0, 'login');
    expect((await storage.increment('user:1', windowMs, 60, 0, 'user')).isBlocked).toBe(true);
  });

  it('decides a key with many hits without going through them', async () => {
    const storage = new MemoryStorage();
    const hit = () => storage.increment('busy', windowMs, 1_000_000, 0, 'test');
    // A filter over the hits, as in the throttler's own storage, takes minutes for this many.
    for (let count = 1; count < 200_000; count++) await hit();
    expect(await hit()).toMatchObject({ totalHits: 200_000, isBlocked: false });
  });
});

describe('the limits of all processes, in PostgreSQL', () => {
  behavesAsStorage(inPostgres, { runs: 25, clockGoesBack: true });

  it('deletes the keys whose hits have left the window, and no others', async () => {
    const database = await cloneDatabase();
    const storage = new PostgresStorage(poolOn(database.url));
    const client = new pg.Client(database.url);
    await client.connect();
    try {
      await storage.increment('gone', 1, 10);
      await storage.increment('here', windowMs, 10);
      // The window of 1 ms passes.
      await client.query('SELECT pg_sleep(0.01)');
      await storage.clean();
      const { rows } = await client.query(`SELECT key = sha256('here') AS here FROM rate_limit_hits`);
      expect(rows).toEqual([{ here: true }]);
    } finally {
      await client.end();
      await storage.onApplicationShutdown();
      await database.drop();
    }
  });

  it('decides many keys in few statements', async () => {
    const database = await cloneDatabase();
    const pool = poolOn(database.url);
    const storage = new PostgresStorage(pool);
    try {
      const queries = jest.spyOn(pool, 'query');
      const names = Array.from({ length: 250 }, (_, index) => `key ${index % 240}`);
      const records = await Promise.all(names.map(name => storage.increment(name, windowMs, 1)));
      expect(records.filter(({ isBlocked }) => isBlocked)).toHaveLength(10);
      expect(queries).toHaveBeenCalledTimes(3);
    } finally {
      await storage.onApplicationShutdown();
      await database.drop();
    }
  });

  itLong('refuses a key whose row is locked, and decides all others that came with it', async () => {
    const database = await cloneDatabase();
    const storage = new PostgresStorage(poolOn(database.url));
    const holder = new pg.Client(database.url);
    await holder.connect();
    try {
      const names = ['a', 'held', 'b', 'c'];
      await Promise.all(names.map(name => storage.increment(name, windowMs, 5)));
      await holder.query(`BEGIN; SELECT FROM rate_limit_hits WHERE key = sha256('held') FOR UPDATE`);
      const together = Promise.allSettled(names.map(name => storage.increment(name, windowMs, 5)));
      // Requests that come while the statement waits for the lock are not held up by it.
      await untilBlocking(holder);
      const startedAt = performance.now();
      expect(await storage.increment('late', windowMs, 5)).toMatchObject({ totalHits: 1 });
      const lateMs = performance.now() - startedAt;
      const outcomes = await together;
      expect(performance.now() - startedAt).toBeGreaterThan(lateMs);
      expect(outcomes).toEqual(
        names.map(name =>
          name === 'held'
            ? expect.objectContaining({ status: 'rejected', reason: expect.objectContaining({ code: '55P03' }) })
            : { status: 'fulfilled', value: expect.objectContaining({ totalHits: 2, isBlocked: false }) },
        ),
      );
      await holder.query('ROLLBACK');
      expect(await storage.increment('held', windowMs, 5)).toMatchObject({ totalHits: 2 });
    } finally {
      await holder.end();
      await storage.onApplicationShutdown();
      await database.drop();
    }
  });

  itLong('keeps the rows of busy keys small and on their page', async () => {
    const database = await cloneDatabase();
    const storage = new PostgresStorage(poolOn(database.url));
    const client = new pg.Client(database.url);
    await client.connect();
    try {
      const size = async () => {
        const { rows } = await client.query(
          `SELECT max(cardinality(hits)) AS most, pg_relation_size('rate_limit_hits')::int AS bytes FROM rate_limit_hits`,
        );
        return rows[0] as { most: number; bytes: number };
      };
      // Pages are reused once no snapshot needs their old rows. A snapshot is as old as the oldest writing transaction in any database of
      // the server, and other test files write at the same time. So the test repeats rounds until one does not grow the table.
      const growths: number[] = [];
      for (let before = 0, deadline = Date.now() + 45_000; growths.at(-1) !== 0 && Date.now() < deadline;) {
        for (let count = 0; count < 500; count++) await storage.increment('busy', 20, 60);
        const { most, bytes } = await size();
        expect(most).toBeLessThanOrEqual(60);
        growths.push(bytes - before);
        before = bytes;
      }
      expect(growths).toContain(0);
    } finally {
      await client.end();
      await storage.onApplicationShutdown();
      await database.drop();
    }
  });
});

describeWithRedis('the limits of all processes, in Redis', () => {
  behavesAsStorage(inRedis, { runs: 25, clockGoesBack: true });

  /** The answer of PTTL for a key that stays. */
  const withoutExpiry = -1;

  it('leaves no key behind once the window has passed', async () => {
    const server = await startRedis();
    const storage = await RedisStorage.connect(server.url);
    const redis = new Redis(server.url);
    try {
      await storage.increment('a', windowMs, 5);
      expect(await redis.pttl('rate-limit:a')).toBeGreaterThan(windowMs - 1_000);
      await storage.increment('b', 50, 5);
      const remainingMs = await redis.pttl('rate-limit:b');
      expect(remainingMs).toBeLessThanOrEqual(50);
      expect(remainingMs).not.toBe(withoutExpiry);
      while ((await redis.exists('rate-limit:b')) > 0) await sleep(5);
    } finally {
      storage.onApplicationShutdown();
      redis.disconnect();
      await server.stop();
    }
  });
});

function keysOf(storage: MemoryStorage): number {
  return [...storage['buckets'].values()].reduce((sum, logs) => sum + logs.size, 0);
}
