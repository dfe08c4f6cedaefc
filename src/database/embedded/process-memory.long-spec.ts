import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { openDataDirectory } from './data-directory.js';
import { EmbeddedPostgres } from './embedded-postgres.js';

const isLinux = process.platform === 'linux';
const reason = isLinux ? '' : ' (skipped: only Linux bounds it)';

describe('the memory of a server process', () => {
  let directory: string;
  let server: EmbeddedPostgres;
  beforeAll(async () => {
    directory = mkdtempSync(path.join(os.tmpdir(), 'graph-service-memory-'));
    server = await EmbeddedPostgres.start({
      dataDirectory: await openDataDirectory(directory),
      settings: { fsync: 'off', shared_buffers: '256MB' },
      processMemoryMb: 96,
    });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  (isLinux ? it : it.skip)(`ends the statement that needs more, and neither its session nor the server${reason}`, async () => {
    const client = new pg.Client(server.url);
    await client.connect();
    const sized = (bytes: number) => client.query(`SELECT length(repeat('x', ${bytes})) AS n`).then(({ rows }) => rows[0].n as number);
    await expect(sized(200_000_000)).rejects.toMatchObject({ code: '53200' });
    expect(await sized(20_000_000)).toBe(20_000_000);
    await client.end();
  });

  it('is not the only bound: a process fills a part of the disk with temporary files, not all of it', async () => {
    const client = new pg.Client(server.url);
    await client.connect();
    const { rows } = await client.query<{ setting: string }>("SELECT setting FROM pg_settings WHERE name = 'temp_file_limit'");
    expect(Number(rows[0]?.setting)).toBeGreaterThan(0);
    await client.end();
  });
});
