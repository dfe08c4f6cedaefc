import { createHash } from 'node:crypto';
import { execFileSync, spawnSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, mkdtemp, open, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { type Settings } from '../src/config/settings.js';
import { type WarehouseClient } from '../src/warehouse/clients/warehouse.client.js';
import { type CopyTarget } from '../src/warehouse/mirror/copy/copy-target.js';
import { ParquetLoader } from '../src/warehouse/mirror/parquet/parquet-loader.js';
import { type TestApp, startTestApp } from './support/app.js';
import { DuckdbFiles } from './support/duckdb-files.js';
import { contentOf } from './support/foreign-tables.js';
import { aGraph, aJob, runToEnd } from './support/ingestion.js';
import { firstToken, ServiceProcess } from './support/service-process.js';

const claim = { caller: 1 };
const isRoot = process.getuid?.() === 0;

let app: TestApp;
let files: DuckdbFiles;
let folder: WarehouseClient;

beforeAll(async () => {
  files = await DuckdbFiles.create();
  await mkdir(files.path('folder'));
  app = await startTestApp({ DUCKDB_DIR: files.directory });
  await app.admin.post('/api/warehouse/connections').send({ name: 'files', type: 'duckdb', dsn: 'duckdb:///folder/', options: {} }).expect(201); // prettier-ignore
  folder = await files.connect('duckdb:///folder/');
});
afterAll(async () => {
  await app.close();
  await files.remove();
});

/** The processes of this test that run DuckDB. */
function readers(): number[] {
  const children = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)])
    .toString()
    .split('\n');
  return children.filter(line => line.includes('duckdb/process/main.js')).map(line => Number.parseInt(line, 10));
}

/** Resident memory of a process in KiB; 0 for a process that has ended. */
function memoryKb(pid: number): number {
  return Number(spawnSync('ps', ['-o', 'rss=', '-p', String(pid)]).stdout.toString());
}

function killAll(): void {
  for (const pid of readers()) process.kill(pid, 'SIGKILL');
}

/** Changes the version in a database file. It comes after a checksum of eight bytes and the letters DUCK. */
async function setVersion(name: string, version: number, fitsChecksum: boolean): Promise<void> {
  const file = await open(name, 'r+');
  const head = Buffer.alloc(16);
  await file.read(head, 0, 16, 0);
  const [checksum, before] = [head.readBigUInt64LE(0), head.readBigUInt64LE(8)];
  head.writeUInt32LE(version, 12);
  // DuckDB's checksum (checksum.cpp) is the XOR of a term for each word of eight bytes: the word times this number.
  const term = (word: bigint): bigint => BigInt.asUintN(64, word * 0xbf58476d1ce4e5b9n);
  if (fitsChecksum) head.writeBigUInt64LE(checksum ^ term(before) ^ term(head.readBigUInt64LE(8)), 0);
  await file.write(head, 0, 16, 0);
  await file.close();
}

const mapping =
  'version: 1\nsource: {connection: files}\nnodes: [{id: a, label: A, table: many, key: [id], columns: [{column: id}, {column: v}]}]';

describe('A process of DuckDB that is killed', () => {
  it('fails the run by a clear reason in the middle of a read, keeps the graph, and the next run succeeds', async () => {
    const write = (factor: number): Promise<void> =>
      files.run(null, `COPY (SELECT i AS id, i * ${factor} AS v FROM range(50000) t(i)) TO '${files.path('folder', 'many.parquet')}'`);
    await write(1);
    const graphId = await aGraph(app);
    const jobId = await aJob(app, graphId, mapping);
    expect((await runToEnd(app, jobId)).error).toBeNull();
    // A digest instead of the rows: printing the difference of so many rows takes minutes.
    const content = async (): Promise<string> =>
      createHash('sha256')
        .update(JSON.stringify(await contentOf(app, graphId)))
        .digest('hex');
    let before = await content();
    let factor = 2;
    await write(factor);
    const codes = new Set<string>();
    for (let times = 0; times < 8; times++) {
      killAll();
      const ended = runToEnd(app, jobId);
      for (const begun = Date.now(); readers().length === 0 && Date.now() - begun < 5_000; await sleep(10));
      await sleep(times * 60);
      killAll();
      const { error } = await ended;
      if (error) codes.add(error.code);
      if (error) expect(await content()).toBe(before);
      else {
        before = await content();
        await write(++factor);
      }
    }
    expect([...codes].filter(code => !['source_lost', 'source_changed', 'source_unreachable'].includes(code))).toEqual([]);
    expect(codes.size).toBeGreaterThan(0);
    expect((await runToEnd(app, jobId)).error).toBeNull();
  }, 240_000);

  it('fails the run that opens its connection, and the failure names the connection', async () => {
    const jobId = await aJob(app, await aGraph(app), mapping);
    // After this change the service opens the connection anew, which starts a process.
    const { body } = await app.admin.get('/api/warehouse/connections').expect(200);
    const { id } = body.items.find(({ name }: { name: string }) => name === 'files');
    await app.admin
      .patch(`/api/warehouse/connections/${id}`)
      .send({ options: { statement_timeout_ms: 60_000 } })
      .expect(200);
    let isOver = false;
    const killing = (async () => {
      for (; !isOver; await sleep(5)) killAll();
    })();
    const run = await runToEnd(app, jobId);
    isOver = true;
    await killing;
    expect(run.error).toMatchObject({ code: 'source_lost', detail: expect.stringContaining("connection 'files'") });
    expect((await runToEnd(app, jobId)).error).toBeNull();
  });

  it('answers that the place is away while it starts or describes a table, and the next question is answered', async () => {
    let isOver = false;
    const killing = (async () => {
      for (; !isOver; await sleep(5)) killAll();
    })();
    const opened = await files.connect('duckdb:///folder/');
    for (const client of [opened, folder])
      await expect(client.catalog(claim).describe('many')).rejects.toMatchObject({ code: 'warehouse_unavailable' });
    isOver = true;
    await killing;
    expect((await folder.catalog(claim).describe('many'))!.columns).toHaveLength(2);
  });
});

describe('Files of DuckDB', () => {
  it('are read whole with one giant row group, or refused for their size', async () => {
    const file = files.path('folder', 'giant.parquet');
    await files.run(null, `COPY (SELECT i AS id, repeat(md5(i::VARCHAR), 8) AS v FROM range(600000) t(i)) TO '${file}' (FORMAT parquet, ROW_GROUP_SIZE 100000000)`); // prettier-ignore
    const reading = await folder.openReading({ claim, timeoutMs: 120_000 });
    const digits = 10 + 180 + 2_700 + 36_000 + 450_000 + 500_000 * 6;
    let rows = 0;
    let bytes = 0;
    try {
      for await (const chunk of reading.rows({ table: 'giant', columns: ['id', 'v'] }) as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        for (const byte of chunk) if (byte === 10) rows++;
      }
      expect([rows, bytes]).toEqual([600_000, 600_000 * 258 + digits]);
    } catch (error) {
      expect(error).toMatchObject({ code: 'warehouse_query_failed', message: expect.stringContaining('memory') });
    } finally {
      await reading.close();
    }
  }, 180_000);

  it('are refused for their size if a few bytes stand for gigabytes, before they take more memory than they may', async () => {
    await files.run(
      null,
      `COPY (SELECT repeat('x', 1000000) AS v FROM range(20000)) TO '${files.path('folder', 'dense.parquet')}' (COMPRESSION zstd)`,
    );
    let mostKb = 0;
    const watch = setInterval(() => {
      for (const pid of readers()) mostKb = Math.max(mostKb, memoryKb(pid));
    }, 100);
    try {
      const { body } = await app.admin
        .put('/api/warehouse/connections/1/tables/dense')
        .set('Content-Type', 'application/vnd.apache.parquet')
        .send(await readFile(files.path('folder', 'dense.parquet')))
        .expect(422);
      expect(['parquet_row_group_too_large', 'parquet_too_dense']).toContain(body.detail.errors[0].type);
    } finally {
      clearInterval(watch);
    }
    expect(mostKb).toBeLessThan(3_000_000);
  }, 180_000);

  it('are called too slow, and not broken, when an upload takes longer than it may', async () => {
    const settings = { dataDirectory: files.path('data'), uploadParquetMaxMb: 100, maxUploadSeconds: 2 } as Settings;
    const loader = new ParquetLoader(settings);
    const none = (): void => undefined;
    const slowly = (): Promise<void> => sleep(50);
    const target = {
      checkNames: none,
      checkAllNames: none,
      shape: slowly,
      startCopy: none,
      rewriteOf: () => null,
      givenType: () => undefined,
      write: slowly,
      abortCopy: slowly,
    };
    const loading = loader.load(1, createReadStream(files.path('folder', 'giant.parquet')), false, target as unknown as CopyTarget);
    await expect(loading).rejects.toMatchObject({ problems: [{ type: 'parquet_too_slow' }] });
    expect(await readdir(path.join(settings.dataDirectory, 'uploads'))).toEqual([]);
    loader.onApplicationShutdown();
  });

  it('are in use while somebody else writes them, and say so', async () => {
    await files.run('busy.duckdb', 'CREATE TABLE t (id INTEGER)');
    const writer = await DuckDBInstance.create(files.path('busy.duckdb'));
    try {
      const busy = await files.connect('duckdb:///busy.duckdb');
      await expect(busy.test(claim)).rejects.toMatchObject({ code: 'warehouse_unavailable', failure: 'FILE_IN_USE' });
      await expect(busy.catalog(claim).describe('t')).rejects.toMatchObject({ failure: 'FILE_IN_USE' });
    } finally {
      writer.closeSync();
    }
    expect(await (await files.connect('duckdb:///busy.duckdb')).catalog(claim).listNames()).toEqual(['t']);
  });

  it('say so if they are of a newer version', async () => {
    await files.run('newer.duckdb', 'CREATE TABLE t (id INTEGER)');
    await setVersion(files.path('newer.duckdb'), 200, true);
    await expect((await files.connect('duckdb:///newer.duckdb')).test(claim)).rejects.toMatchObject({ failure: 'NEWER_VERSION' });
  });

  it('are not said to be in use if they are damaged', async () => {
    await files.run('damaged.duckdb', 'CREATE TABLE t (id INTEGER)');
    await setVersion(files.path('damaged.duckdb'), 200, false);
    await expect((await files.connect('duckdb:///damaged.duckdb')).test(claim)).rejects.toMatchObject({ code: 'warehouse_query_failed' });
  });

  (isRoot ? it.skip : it)('say so if they may not be read (skipped as root, who may read everything)', async () => {
    await files.run('secret.duckdb', 'CREATE TABLE t (id INTEGER)');
    await chmod(files.path('secret.duckdb'), 0o000);
    await expect((await files.connect('duckdb:///secret.duckdb')).test(claim)).rejects.toMatchObject({ failure: 'FILE_FORBIDDEN' });
  });

  it('say so in a query too if they are broken', async () => {
    await writeFile(files.path('folder', 'broken.parquet'), 'PAR1 no parquet PAR1');
    await files.run(null, `COPY (SELECT 1 AS id) TO '${files.path('folder', 'whole.parquet')}'`);
    const query = (sql: string) => folder.query({ claim, sql, parameters: [], timeoutMs: 10_000, maxRows: 10 });
    await expect(folder.catalog(claim).describe('broken')).rejects.toMatchObject({ message: expect.stringContaining("'broken.parquet'") });
    // A caller who runs a statement may not know the names of files, so the error contains none.
    const error = await query('SELECT * FROM broken').catch((failure: unknown) => failure as { code: string; message: string });
    expect(error).toMatchObject({ code: 'warehouse_query_failed', message: expect.stringContaining('a file cannot be read') });
    expect(error).not.toMatchObject({ message: expect.stringContaining('broken') });
    await expect(query('SELECT * FROM missing')).rejects.not.toMatchObject({ message: expect.stringContaining('a file cannot be read') });
    expect((await query("SELECT id, 'broken' AS word FROM whole")).rows).toEqual([[1, 'broken']]);
  });
});

it('lets a run that reads files end when their connection is changed meanwhile', async () => {
  await files.run(null, `COPY (SELECT i AS id, i AS v FROM range(400000) t(i)) TO '${files.path('folder', 'many.parquet')}'`);
  const jobId = await aJob(app, await aGraph(app), mapping);
  const { body } = await app.admin.get('/api/warehouse/connections').expect(200);
  const { id } = body.items.find(({ name }: { name: string }) => name === 'files');
  const run = runToEnd(app, jobId);
  for (let isCopying = false; !isCopying; await sleep(10)) {
    const { items } = (await app.admin.get(`/api/ingestion/jobs/${jobId}/runs`).expect(200)).body;
    isCopying = items[0]?.phase === 'copying many';
  }
  await app.admin.patch(`/api/warehouse/connections/${id}`).send({ options: { statement_timeout_ms: 50_000 } }).expect(200); // prettier-ignore
  expect((await run).error).toBeNull();
});

describe('An installation without the optional drivers', () => {
  it('starts, works, and names the package that a connection needs', async () => {
    const root = path.resolve('.');
    const copy = await mkdtemp(path.join(os.tmpdir(), 'without-drivers-'));
    const left = ['@duckdb', '@clickhouse', 'mysql2'];
    await mkdir(path.join(copy, 'node_modules'));
    for (const name of await readdir(path.join(root, 'node_modules'))) {
      if (!left.includes(name)) await symlink(path.join(root, 'node_modules', name), path.join(copy, 'node_modules', name));
    }
    execFileSync('cp', ['-r', path.join(root, 'dist'), path.join(root, 'package.json'), copy]);
    const directory = path.join(copy, 'files', 'a');
    await mkdir(directory, { recursive: true });
    const environment = { DUCKDB_DIR: path.dirname(directory), WAREHOUSE_ALLOWED_ADDRESSES: '127.0.0.1' };
    const service = await ServiceProcess.start({ environment, directory: copy });
    try {
      const token = await firstToken(service.url);
      const send = async (route: string, body?: object): Promise<any> => {
        const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
        return (await fetch(`${service.url}/api${route}`, { method: 'POST', headers, ...(body && { body: JSON.stringify(body) }) })).json();
      };
      const connections: [string, string, string][] = [
        ['duckdb', 'duckdb:///a/', '@duckdb/node-api'],
        ['mysql', 'mysql://a:b@127.0.0.1:1/x', 'mysql2'],
        ['clickhouse', 'clickhouse://a:b@127.0.0.1:1/x', '@clickhouse/client'],
      ];
      for (const [type, dsn, driver] of connections) {
        const { id } = await send('/warehouse/connections', { name: type, type, dsn, options: {} });
        const text = JSON.stringify(await send(`/warehouse/connections/${id}/test`));
        expect(text).toContain(driver);
        expect(text).not.toContain('internal');
      }
      const refused = await fetch(`${service.url}/api/warehouse/connections/1/tables/t`, {
        method: 'PUT',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/vnd.apache.parquet' },
        body: 'PAR1 rows PAR1',
      });
      expect([refused.status, await refused.json()]).toMatchObject([
        422,
        { code: 'driver_not_installed', message: expect.stringContaining('upload CSV or NDJSON') },
      ]);
      expect(await readdir(path.join(service.dataDirectory, 'uploads')).catch(() => [])).toEqual([]);
      const list = await fetch(`${service.url}/api/warehouse/connections/1/tables`, { headers: { Authorization: `Bearer ${token}` } });
      expect(((await list.json()) as { items: unknown[] }).items).toEqual([]);
    } finally {
      await service.kill();
      await rm(copy, { recursive: true, force: true });
    }
  });
});
