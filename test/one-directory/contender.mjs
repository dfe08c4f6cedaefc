// A small stand-in for the service: `node contender.mjs DIRECTORY NAME` starts the embedded server on the directory and inserts rows until
// it is killed. It prints `ready`, and after each commit `written` and the row. It exits with 3 if another process has the directory.
import pg from 'pg';
import { openDataDirectory } from '../../dist/src/database/embedded/data-directory.js';
import { DataDirectoryInUseError } from '../../dist/src/database/embedded/directory-lock.js';
import { EmbeddedPostgres } from '../../dist/src/database/embedded/embedded-postgres.js';

const [directory, name] = process.argv.slice(2);
const dataDirectory = await openDataDirectory(directory);
// A killed process loses nothing that is already in the kernel's cache, so the server need not sync to disk.
const server = await EmbeddedPostgres.start({ dataDirectory, settings: { fsync: 'off', shared_buffers: '32MB' } }).catch(error => {
  process.stderr.write(`${error.message}\n`);
  process.exit(error instanceof DataDirectoryInUseError ? 3 : 1);
});
const client = new pg.Client(server.url);
client.on('error', () => undefined);
await client.connect();
await client.query('CREATE TABLE IF NOT EXISTS written (row text PRIMARY KEY)');
process.stdout.write('ready\n');
for (let count = 0; ; count++) {
  const row = `${name}-${count}`;
  try {
    await client.query('INSERT INTO written VALUES ($1)', [row]);
  } catch {
    // The server was killed. The test will kill this process too.
    break;
  }
  process.stdout.write(`written ${row}\n`);
}
setInterval(() => undefined, 1_000);
