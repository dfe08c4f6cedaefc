import pg from 'pg';

let counter = 0;

/** A migrated database of this test file's own, cloned from the template. Drop it in `afterAll`. */
export async function cloneDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const serverUrl = process.env.TEST_POSTGRES_URL;
  if (!serverUrl) throw new Error('The test database is not running: start the tests through jest');
  const name = `test_${process.env.JEST_WORKER_ID}_${process.pid}_${counter++}`;
  await run(serverUrl, `CREATE DATABASE ${name} TEMPLATE test_template`);
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
