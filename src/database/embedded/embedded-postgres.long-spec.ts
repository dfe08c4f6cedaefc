import { syncBuiltinESMExports } from 'node:module';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openDataDirectory } from './data-directory.js';
import { EmbeddedPostgres } from './embedded-postgres.js';

describe('an embedded server that dies', () => {
  let directory: string;
  let server: EmbeddedPostgres;
  beforeAll(async () => {
    directory = await openDataDirectory(mkdtempSync(path.join(os.tmpdir(), 'graph-service-embedded-')));
    server = await start();
  });
  afterAll(async () => {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const start = () => EmbeddedPostgres.start({ dataDirectory: directory, settings: { fsync: 'off', shared_buffers: '32MB' } });
  const postmaster = () => Number.parseInt(readFileSync(path.join(directory, 'postgres', 'postmaster.pid'), 'utf8'), 10);
  const connect = async () => {
    const client = new pg.Client({ connectionString: server.url, connectionTimeoutMillis: 1_000 });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };
  const hours = 'SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 1000000) b';
  async function accepts(): Promise<void> {
    for (const deadline = performance.now() + 15_000; ; await sleep(20)) {
      try {
        return await (await connect()).end();
      } catch (error) {
        if (performance.now() > deadline) throw error;
      }
    }
  }

  (process.platform === 'linux' ? it : it.skip)(
    'is back at once, although a statement has outlived it (skipped elsewhere than on Linux)',
    async () => {
      // The client stays connected, so the server process of its statement outlives the killed postmaster.
      const statement = expect((await connect()).query(hours)).rejects.toThrow();
      await sleep(300);
      process.kill(postmaster(), 'SIGKILL');
      await accepts();
      await statement;
    },
  );

  it('is started again however early its successors die', async () => {
    // Closing the log file takes 500 ms here, longer than a server needs to fail on its broken configuration.
    const realOpen = fs.open;
    const slow = jest.spyOn(fs, 'open').mockImplementation(async (...args) => {
      const file = await realOpen(...args);
      const close = file.close.bind(file);
      file.close = () => sleep(500).then(close);
      return file;
    });
    // embedded-postgres.ts imports `open` by name, so the named export must be updated to the mock.
    syncBuiltinESMExports();
    const pidFile = path.join(directory, 'postgres', 'postmaster.pid');
    const first = postmaster();
    const config = path.join(directory, 'postgres', 'postgresql.conf');
    const good = readFileSync(config);
    await fs.appendFile(config, 'no_such_setting = 1\n');
    process.kill(first, 'SIGKILL');
    await sleep(1_500);
    await fs.writeFile(config, good);
    await accepts();
    expect(Number.parseInt(readFileSync(pidFile, 'utf8'), 10)).not.toBe(first);
    expect(slow).toHaveBeenCalled();
    slow.mockRestore();
    syncBuiltinESMExports();
  });
});
