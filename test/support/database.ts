import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** A migrated database of this test file's own, cloned from the template. Drop it in `afterAll`. */
export function cloneDatabase(): Promise<TestDatabase> {
  return createDatabase('TEMPLATE test_template');
}

/** A database without anything in it. */
export function emptyDatabase(): Promise<TestDatabase> {
  return createDatabase('TEMPLATE template0');
}

export interface TestDatabase {
  url: string;
  drop: () => Promise<void>;
}

async function createDatabase(like: string): Promise<TestDatabase> {
  const serverUrl = process.env.TEST_POSTGRES_URL;
  if (!serverUrl) throw new Error('The test database is not running: start the tests through jest');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await run(serverUrl, `CREATE DATABASE ${name} ${like}`);
  return {
    url: serverUrl.replace('@/postgres?', `@/${name}?`),
    drop: () => run(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}

async function run(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
