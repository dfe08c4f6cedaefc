import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { cloneDatabase, type TestDatabase } from '../../test/support/database.js';
import { type ServicePool } from '../database/service-pool.js';
import { type DiskReserve } from '../database/disk-reserve.js';
import { QueryRunsRepository } from './query-runs.repository.js';

describe('queries that are taken up again', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  beforeAll(async () => {
    database = await cloneDatabase();
    pool = new pg.Pool({ connectionString: database.url });
    await pool.query(`
      INSERT INTO users (username, password_hash) VALUES ('u1', ''), ('u2', ''), ('u3', '');
      INSERT INTO graphs (name, owner_id) SELECT 'g', id FROM users WHERE username = 'u1'`);
  });
  afterAll(async () => {
    await pool?.end();
    await database?.drop();
  });

  /** Adds running queries whose lease has expired. The first one is the oldest. */
  const leave = (username: string, ids: number[]) =>
    pool.query(
      `INSERT INTO query_runs (id, graph_id, user_id, kind, request, status, lease_until, created_at)
       SELECT q.id, g.id, u.id, 'search', '{}', 'running', now() - interval '1 s', now() - make_interval(secs => 100 - q.id)
       FROM users u, graphs g, unnest($2::int[]) q (id) WHERE u.username = $1`,
      [username, ids],
    );

  it('are claimed by users in turn, and after those of users with fewer queries running', async () => {
    const runs = new QueryRunsRepository(pool as unknown as ServicePool, {} as DiskReserve);
    const take = async (most: number) => (await runs.claim(randomUUID(), most)).map(({ id }) => id).sort((a, b) => a - b);
    await leave('u1', [1, 2, 3, 4, 5, 6]);
    await leave('u2', [7, 8]);
    expect(await take(4)).toEqual([1, 2, 7, 8]);
    await leave('u3', [9]);
    expect(await take(2)).toEqual([3, 9]);
    expect(await take(4)).toEqual([4, 5, 6]);
  });
});
