import { setTimeout as sleep } from 'node:timers/promises';
import { cloneDatabase, type TestDatabase } from '../../test/support/database.js';
import { DatabaseProxy } from '../../test/support/database-proxy.js';
import { WatchedPool } from './watched-pool.js';
import { itLong } from '../../test/support/tier.js';

describe('WatchedPool', () => {
  let database: TestDatabase;
  const pools: WatchedPool[] = [];
  const open = (config: object, server = { isUp: true }): WatchedPool => {
    const pool = new WatchedPool({ connectionString: database.url, max: 1, ...config }, server);
    pools.push(pool);
    return pool;
  };
  beforeAll(async () => {
    database = await cloneDatabase();
  });
  afterEach(() => Promise.all(pools.splice(0).map(pool => pool.end())));
  afterAll(() => database.drop());

  async function elapsed(work: Promise<unknown>): Promise<number> {
    const startedAt = performance.now();
    await work;
    return performance.now() - startedAt;
  }

  it('does not hand out a connection on which a statement still runs that pg gave up on', async () => {
    const pool = open({ query_timeout: 200 });
    const client = await pool.connect();
    await expect(client.query('SELECT pg_sleep(60)')).rejects.toThrow('Query read timeout');
    // TypeORM releases a connection in the same way, without passing the error.
    client.release();
    expect(await elapsed(pool.query('SELECT 1'))).toBeLessThan(30_000);
  });

  it('keeps a connection whose statement the server itself ended in time', async () => {
    const pool = open({ statement_timeout: 200, query_timeout: 1_000 });
    const pid = async () => (await pool.query('SELECT pg_backend_pid() AS pid')).rows[0].pid as number;
    const before = await pid();
    const client = await pool.connect();
    await expect(client.query('SELECT pg_sleep(5)')).rejects.toMatchObject({ code: '57014' });
    client.release();
    expect(await pid()).toBe(before);
  });

  // A session keeps memory that statements leave in it, such as 24 kB for each name of a time zone.
  it('replaces a connection once it was used for two seconds in all', async () => {
    const pool = open({});
    let now = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
    const pidAfter = async (ms: number) => {
      const client = await pool.connect();
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      now += ms;
      client.release();
      return rows[0]!.pid;
    };
    try {
      const first = await pidAfter(800);
      expect(await pidAfter(1_200)).toBe(first);
      expect(await pidAfter(1)).toBe(first);
      expect(await pidAfter(0)).not.toBe(first);
    } finally {
      clock.mockRestore();
    }
  });

  it('sends a list of texts as it is, with its quotes, backslashes and nulls', async () => {
    const texts = ['', '"', '\\', '\\"中"', 'a,b', 'NULL', null, '{}', 'line\nbreak'];
    const { rows } = await open({}).query('SELECT $1::text[] AS texts, $2::int[] AS numbers', [texts, [1, null]]);
    expect(rows).toEqual([{ texts, numbers: [1, null] }]);
  });

  it('writes a list of texts itself, because node-postgres holds the event loop for each quote', () => {
    const written: unknown[] = [];
    const valueMapper = (value: unknown) => value;
    const connection = { bind: (config: { valueMapper: typeof valueMapper }) => written.push(config.valueMapper(['a"b', null])) };
    open({}).emit('connect', { on: () => undefined, connection });
    connection.bind({ valueMapper });
    expect(written).toEqual(['{"a\\"b",NULL}']);
  });

  it('refuses at once while the server is known to be away, and serves again once it is back', async () => {
    const server = { isUp: false };
    const pool = open({}, server);
    expect(await elapsed(expect(pool.query('SELECT 1')).rejects.toMatchObject({ code: 'database_unavailable' }))).toBeLessThan(10_000);
    await expect(pool.connect()).rejects.toMatchObject({ code: 'database_unavailable' });
    server.isUp = true;
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  itLong('reports that the service is busy to a caller who has waited too long for a connection', async () => {
    const pool = open({ connectionTimeoutMillis: 2_000, max: 1 });
    const client = await pool.connect();
    const busy = { status: 503, code: 'database_busy', headers: { 'Retry-After': '2' } };
    await expect(pool.query('SELECT 1')).rejects.toMatchObject(busy);
    await expect(pool.connect()).rejects.toMatchObject(busy);
    client.release();
  });

  it('fails every running statement and every wait for a connection when it is abandoned', async () => {
    const pool = open({ connectionTimeoutMillis: 60_000 });
    const client = await pool.connect();
    const running = expect(client.query('SELECT pg_sleep(60)')).rejects.toThrow('Connection terminated');
    const waiting = expect(pool.query('SELECT 1')).rejects.toMatchObject({ code: 'database_unavailable' });
    pool.abandon();
    expect(await elapsed(Promise.all([running, waiting]))).toBeLessThan(30_000);
    client.release();
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('lets go of a connection that is being made', async () => {
    const proxy = await DatabaseProxy.start(database.url);
    await proxy.set('hang');
    const pool = open({ connectionTimeoutMillis: 60_000, connectionString: proxy.url });
    const connecting = expect(pool.connect()).rejects.toThrow('Connection terminated');
    while (proxy.connections === 0) await sleep(5);
    pool.abandon();
    expect(await elapsed(connecting)).toBeLessThan(30_000);
    await proxy.stop();
  });

  it('reports how it is used', async () => {
    const pool = open({});
    const client = await pool.connect();
    const waiting = pool.query('SELECT 1');
    expect(pool.usage).toEqual({ idle: 0, busy: 1, waiting: 1 });
    client.release();
    await waiting;
    expect(pool.usage).toEqual({ idle: 1, busy: 0, waiting: 0 });
  });
});
