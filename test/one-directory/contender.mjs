// A service in small: `node contender.mjs DIRECTORY NAME` runs the embedded server on the directory and writes rows until it is killed.
// Says on standard output that it is `ready`, and after each commit the row that it has `written`. Ends with 3 if it may not have the
// directory.
import pg from 'pg';
import { openDataDirectory } from '../../dist/src/database/embedded/data-directory.js';
import { DataDirectoryInUseError } from '../../dist/src/database/embedded/directory-lock.js';
import { EmbeddedPostgres } from '../../dist/src/database/embedded/embedded-postgres.js';

const [directory, name] = process.argv.slice(2);
const dataDirectory = await openDataDirectory(directory);
// Kills of processes lose nothing that the kernel has, so nothing need wait for the disk.
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
