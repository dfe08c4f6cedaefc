import { type Request, type Response } from 'express';
import pg from 'pg';
import { pino } from 'pino';
import { cloneDatabase } from '../../test/support/database.js';
import { outsideRequest, requestContextMiddleware } from '../common/logging/request-context.js';
import { DatabaseLink } from './database-link.js';
import { ServicePool } from './service-pool.js';

describe('ServicePool', () => {
  let database: Awaited<ReturnType<typeof cloneDatabase>>;
  let link: DatabaseLink;
  let pool: ServicePool;
  beforeAll(async () => {
    database = await cloneDatabase();
    link = new DatabaseLink({ url: database.url, log: pino({ level: 'silent' }) });
    pool = new ServicePool(link, { size: 1, answerMaxBytes: 1_000_000 });
  });
  afterAll(async () => {
    await pool.onApplicationShutdown();
    link.onApplicationShutdown();
    await database.drop();
  });

  it('rolls back work that fails, and hands out the connection without an open transaction', async () => {
    const failing = pool.transaction(async client => {
      await client.query("INSERT INTO users (username, password_hash) VALUES ('lost', 'x')");
      throw new Error('half-way');
    });
    await expect(failing).rejects.toThrow('half-way');
    const { rows } = await pool.query(
      "SELECT count(*)::int AS users, pg_current_xact_id_if_assigned() AS open FROM users WHERE username = 'lost'",
    );
    expect(rows).toEqual([{ users: 0, open: null }]);
  });

  it('reports a connection that is cut within a transaction, and goes on with a new one', async () => {
    const cut = pool.transaction(client => client.query('SELECT pg_terminate_backend(pg_backend_pid())'));
    await expect(cut).rejects.toMatchObject({ code: '57P01' });
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('ends a page with the row that fills it, and says whether more come after it', async () => {
    const read = (rows: number, characters: number, limit: number) =>
      pool.readPage<{ n: number; text: string }>('rows', {
        text: 'SELECT n, repeat(chr(97), $2) AS text FROM generate_series($1::int, 1, -1) n ORDER BY n DESC',
        values: [rows, characters],
        limit,
        sizeOf: 'octet_length(text)',
      });
    const pageOf = async (...size: [rows: number, characters: number, limit: number]) => {
      const { rows, hasMore } = await read(...size);
      return [rows.map(({ n }) => n), hasMore];
    };
    expect(await pageOf(5, 1, 3)).toEqual([[5, 4, 3], true]);
    expect(await pageOf(3, 1, 3)).toEqual([[3, 2, 1], false]);
    expect(await pageOf(0, 1, 3)).toEqual([[], false]);
    expect(await pageOf(5, 100_000, 5)).toEqual([[5, 4, 3], true]);
    expect(await pageOf(3, 100_000, 3)).toEqual([[3, 2, 1], false]);
    expect(await pageOf(2, 600_000, 2)).toEqual([[2], true]);
    const growing = { text: 'SELECT n, repeat(chr(97), n) AS text FROM unnest($1::int[]) n ORDER BY n', sizeOf: 'octet_length(text)' };
    const small = await pool.readPage<{ n: number }>('rows', { ...growing, values: [[200_000, 900_000]], limit: 2 });
    expect([small.rows.map(({ n }) => n), small.hasMore]).toEqual([[200_000], true]);
    expect((await read(1, 3, 1)).rows).toEqual([{ n: 1, text: 'aaa' }]);
    await expect(read(1, 1_100_000, 1)).rejects.toMatchObject({ code: 'answer_too_large' });
  });

  it('outlives a connection that is cut while nobody uses it', async () => {
    const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const removed = new Promise(resolve => pool.once('remove', resolve));
    const other = new pg.Client(database.url);
    await other.connect();
    await other.query('SELECT pg_terminate_backend($1)', [rows[0]!.pid]);
    await other.end();
    await removed;
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  describe('with requests of several users', () => {
    let shared: ServicePool;
    beforeAll(() => (shared = new ServicePool(link, { size: 4, answerMaxBytes: 1_000_000 })));
    afterAll(() => shared.onApplicationShutdown());

    const response = { setHeader: () => undefined, writableEnded: false, destroyed: false };
    function as<T>(userId: number, work: () => Promise<T>, { writableEnded = false } = {}): Promise<T> {
      const request = { headers: {}, user: { userId } } as unknown as Request;
      return new Promise((resolve, reject) => {
        requestContextMiddleware(request, { ...response, writableEnded } as unknown as Response, () => void work().then(resolve, reject));
      });
    }

    it('gives one user half of the connections, and the next one a free one at once', async () => {
      const held = [await as(1, () => shared.connect()), await as(1, () => shared.connect())];
      let isServed = false;
      const third = as(1, () => shared.query('SELECT 1 AS one')).then(() => (isServed = true));
      expect((await as(2, () => shared.query('SELECT 2 AS two'))).rows).toEqual([{ two: 2 }]);
      // Work that continues after the answer was sent does not count for the user. Neither does work that serves several requests at once.
      await as(1, () => shared.query('SELECT 1'), { writableEnded: true });
      await as(1, () => outsideRequest(() => shared.query('SELECT 1')));
      expect(isServed).toBe(false);
      held[0]!.release();
      await third;
      held[1]!.release();
      await expect(as(1, () => shared.query('SELECT wrong'))).rejects.toThrow('wrong');
      expect(shared.usage.busy).toBe(0);
    });

    it('lets work that has a connection have another one', async () => {
      const both = (n: number) =>
        as(1, () => shared.transaction(async () => (await shared.query<{ n: number }>(`SELECT ${n} AS n`)).rows[0]!.n));
      expect(await Promise.all([both(1), both(2)])).toEqual([1, 2]);
    });
  });
});
