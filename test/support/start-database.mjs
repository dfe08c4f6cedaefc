// Runs before all tests: builds the product, starts a temporary PostgreSQL, and migrates one database, which test applications clone.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..', '..');
const built = path.join(root, 'dist', 'src', 'database');

export default async function startDatabase() {
  // Type errors do not stop the tests: the type check reports them, and the tests run the emitted code.
  spawnSync(process.execPath, [path.join(root, 'scripts', 'build-if-stale.mjs')], { stdio: 'inherit' });
  if (!existsSync(built)) throw new Error('The build failed; see above');
  const { EmbeddedPostgres } = await import(path.join(built, 'embedded', 'embedded-postgres.js'));
  const { prepareDatabase } = await import(path.join(built, 'prepare-database.js'));
  const { prepareServer } = await import(path.join(built, 'roles', 'prepare-server.js'));

  const dataDirectory = await mkdtemp(path.join(os.tmpdir(), 'graph-service-test-'));
  const { chmod } = await import('node:fs/promises');
  await chmod(dataDirectory, 0o711);
  const server = await EmbeddedPostgres.start({
    dataDirectory,
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off', max_connections: '200' },
  });
  const access = await prepareDatabase(await prepareServer(server, 'test_template'));
  process.env.TEST_DIRECTORY = dataDirectory;
  process.env.TEST_POSTGRES_URL = server.url;
  process.env.TEST_POSTGRES_ACCESS = JSON.stringify(access);
  globalThis.testDatabase = { server, dataDirectory };
}
