import pg from 'pg';
import { pino } from 'pino';
import { cloneDatabase } from '../../test/support/database.js';
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

  it('outlives a connection that is cut while nobody uses it', async () => {
    const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const other = new pg.Client(database.url);
    await other.connect();
    await other.query('SELECT pg_terminate_backend($1)', [rows[0]!.pid]);
    await other.end();
    await new Promise(resolve => setTimeout(resolve, 50));
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });
});
