import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { DatabaseAccess } from '../../src/database/roles/database-access.js';

/** A migrated database, cloned from the template. The caller drops it. */
export async function cloneDatabase(): Promise<ClonedDatabase> {
  const { name, ...database } = await createDatabase('TEMPLATE test_template STRATEGY file_copy');
  const { records, retrieval, mirror } = JSON.parse(process.env.TEST_POSTGRES_ACCESS!) as DatabaseAccess;
  return { ...database, access: new DatabaseAccess(records, retrieval, mirror).on(name) };
}

/** An empty database. */
export function emptyDatabase(): Promise<TestDatabase> {
  return createDatabase('TEMPLATE template0');
}

export interface TestDatabase {
  /** Connects as the superuser of the test server. */
  url: string;
  drop: () => Promise<void>;
}

export interface ClonedDatabase extends TestDatabase {
  /** Connects with the roles of the service, which the template database has. */
  access: DatabaseAccess;
}

async function createDatabase(like: string): Promise<TestDatabase & { name: string }> {
  const serverUrl = process.env.TEST_POSTGRES_URL;
  if (!serverUrl) throw new Error('The test database is not running: start the tests through jest');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await asSuperuser(serverUrl, `CREATE DATABASE ${name} ${like}`);
  return {
    name,
    url: serverUrl.replace('@/postgres?', `@/${name}?`),
    drop: async () => {
      // Without FORCE the server waits some seconds for sessions that are ending. A cut session would be an error that nobody awaits.
      const drop = (how: string) => asSuperuser(serverUrl, `DROP DATABASE ${name}${how}`);
      await drop('').catch(() => drop(' WITH (FORCE)'));
    },
  };
}

/** Runs SQL that the service itself may not run on its database. */
export async function asSuperuser(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Waits until exactly `count` sessions wait for the lock on a table of the mirror. */
export async function untilWaiting(pool: Pick<pg.Pool, 'query'>, table: string, count: number): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ waiting: number }>(
      `SELECT count(*)::int AS waiting FROM pg_locks WHERE relation = $1::text::regclass AND NOT granted`,
      [`mirror.${table}`],
    );
    if (rows[0]!.waiting === count) return;
    await sleep(20);
  }
}

/** Waits until another session waits for a lock that the session of `holder` has. */
export async function untilBlocking(holder: Pick<pg.ClientBase, 'query'>): Promise<void> {
  const blocked = 'SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))';
  while ((await holder.query(blocked)).rowCount === 0) await sleep(20);
}
