import { readFileSync } from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Settings } from '../src/config/settings.js';
import { startTestApp, type TestApp } from './support/app.js';
import { asSuperuser } from './support/database.js';
import { DuckdbFiles } from './support/duckdb-files.js';
import { contentOf } from './support/foreign-tables.js';
import { aGraph, aJob, runToEnd, upload, uploadRequest } from './support/ingestion.js';
import { copyAgain, copyToEnd, ended } from './support/mirror-copies.js';
import { OwnPostgres } from './support/own-postgres.js';
import { describeOnSmallDisk, SmallDisk } from './support/small-disk.js';

const roomLeft = 300_000;
const spaces = ['small_staging', 'small_tables'];

/** A server of its own: a replica of the shared server would need the same directories for the table spaces. */
let postgres: OwnPostgres;
let test: TestApp;
let files: DuckdbFiles;
/** Disks for temporary tables, for all new tables, and for uploads; null if they cannot be mounted. */
let disks: [staging: SmallDisk, tables: SmallDisk, uploads: SmallDisk] | null = null;

beforeAll(async () => {
  postgres = await OwnPostgres.start();
  await postgres.serveClones();
  files = await DuckdbFiles.create();
  await mkdir(files.path('folder'));
  const mounted = [
    await SmallDisk.mount(64, await serverUser()),
    await SmallDisk.mount(64, await serverUser()),
    await SmallDisk.mount(16, 0),
  ];
  if (mounted[0] && mounted[1] && mounted[2]) {
    disks = [mounted[0], mounted[1], mounted[2]];
    for (const [index, space] of spaces.entries()) {
      await onServer(`CREATE TABLESPACE ${space} LOCATION '${disks[index]!.directory}'`);
      await onServer(`GRANT CREATE ON TABLESPACE ${space} TO PUBLIC`);
    }
    await onServer('ALTER ROLE ALL SET temp_tablespaces = small_staging');
    await onServer('ALTER ROLE ALL SET default_tablespace = small_tables');
  }
  test = await startTestApp({ DUCKDB_DIR: files.directory, DISK_RESERVE_MB: '0', ...(mounted[2] && { DATA_DIR: mounted[2].directory }) });
});
afterEach(async () => {
  for (const disk of disks ?? []) await disk.empty();
});
afterAll(async () => {
  await test.close();
  await files.remove();
  await postgres.remove();
  for (const disk of disks ?? []) await disk.unmount();
});

const onServer = (sql: string) => asSuperuser(process.env.TEST_POSTGRES_URL!, sql);

async function serverUser(): Promise<number> {
  const { rows } = await onServer('SHOW data_directory');
  return (await stat((rows[0] as { data_directory: string }).data_directory)).uid;
}

const rowsOf = (count: number, letter: string): string =>
  `id,v\n${Array.from({ length: count }, (_, id) => `${id},${letter.repeat(200)}\n`).join('')}`;
const state = async (table: string): Promise<unknown[]> =>
  (
    await test.pool.query(`SELECT count(*)::int, min(v), (SELECT version FROM mirror_tables WHERE name = $1) FROM mirror."${table}"`, [
      table,
    ])
  ).rows;

/** Expects that no temporary tables are left, and no tables of an unfinished copy or upload. */
async function expectNothingLeft(): Promise<void> {
  const { rows } = await test.pool.query(
    `SELECT relname FROM pg_class WHERE relkind = 'r' AND (relpersistence = 't' OR relname ~ '^(copy|upload)_[0-9a-f]{24}$')`,
  );
  expect(rows).toEqual([]);
}

const onSmallDisks = (title: string, check: (...own: NonNullable<typeof disks>) => Promise<void>): void =>
  it(title, () => check(...disks!));

describeOnSmallDisk('a full disk of the database', () => {
  const mapping = 'version: 1\nnodes: [{id: a, label: A, table: things, key: [id], columns: [{column: id}, {column: v}]}]';

  onSmallDisks(
    'fails a run that stages or writes, keeps the graph, and lets the next one succeed once there is room',
    async (staging, tables) => {
      await upload(test, 'things', rowsOf(10, 'a'));
      const graphId = await aGraph(test);
      const jobId = await aJob(test, graphId, mapping);
      expect((await runToEnd(test, jobId)).error).toBeNull();
      const before = await contentOf(test, graphId);
      await upload(test, 'things', rowsOf(5_000, 'b'));
      for (const [disk, phase] of [
        [staging, /^staging/],
        [tables, /^(?!staging)/],
      ] as const) {
        await disk.fill(roomLeft);
        const run = await runToEnd(test, jobId);
        expect(run).toMatchObject({
          status: 'failed',
          phase: expect.stringMatching(phase),
          error: { code: 'disk_full', detail: expect.stringContaining('make room') },
          report: { totals: { inserted: 0, updated: 0 } },
        });
        expect(await contentOf(test, graphId)).toEqual(before);
        await expectNothingLeft();
        await disk.empty();
      }
      expect((await runToEnd(test, jobId)).error).toBeNull();
      expect((await contentOf(test, graphId)).nodes).toHaveLength(5_000);
    },
  );

  onSmallDisks('fails a copy into the mirror, keeps the table, and lets the next one succeed once there is room', async (_, tables) => {
    const write = (letter: string): Promise<void> =>
      files.run(
        null,
        `COPY (SELECT i AS id, repeat('${letter}', 200) AS v FROM range(5000) t(i)) TO '${files.path('folder', 'far.parquet')}'`,
      );
    await write('a');
    const { body } = await test.admin.post('/api/warehouse/connections').send({ name: 'files', type: 'duckdb', dsn: 'duckdb:///folder/' }).expect(201); // prettier-ignore
    const { id, error } = await copyToEnd(test, body.id, [{ table: 'far' }]);
    expect(error).toBeNull();
    const before = await state('far');
    await write('b');
    const again = async (): Promise<any> => {
      await test.admin.post(`/api/warehouse/mirror-copies/${id}/run`).expect(202);
      return ended(test, id);
    };
    await tables.fill(roomLeft);
    expect(await again()).toMatchObject({
      status: 'failed',
      error: { code: 'disk_full', detail: expect.stringContaining('make room') },
      tables: [{ status: 'failed', inserted: 0 }],
    });
    expect(await state('far')).toEqual(before);
    await expectNothingLeft();
    await tables.empty();
    expect((await again()).error).toBeNull();
    expect((await state('far'))[0]).toMatchObject({ count: 5_000, min: 'b'.repeat(200) });
  });

  onSmallDisks('ends a copy at the reserve of the disk, and one without room in the mirror, and refuses to start another', async () => {
    await files.run(
      null,
      `COPY (SELECT i AS id, repeat('c', 200) AS v FROM range(20000) t(i)) TO '${files.path('folder', 'near.parquet')}'`,
    );
    const { body } = await test.admin.post('/api/warehouse/connections').send({ name: 'near', type: 'duckdb', dsn: 'duckdb:///folder/' }).expect(201); // prettier-ignore
    const { id } = await copyToEnd(test, body.id, [{ table: 'near' }]);
    const before = await state('near');
    const settings = test.app.get(Settings);
    const client = await test.pool.connect();
    try {
      // The lock makes the copy wait for its table after it has read all rows.
      await client.query("BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('mirror.near', 0))");
      await test.admin.post(`/api/warehouse/mirror-copies/${id}/run`).expect(202);
      const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%mirror.%' AND datname = current_database()`;
      while ((await test.pool.query(waiting)).rowCount === 0) await sleep(20);
      Object.assign(settings, { diskReserveMb: 100_000_000 });
      expect(await ended(test, id)).toMatchObject({ status: 'failed', error: { code: 'disk_full' } });
      const refused = await test.admin.post(`/api/warehouse/mirror-copies/${id}/run`);
      expect([refused.status, refused.body.code, refused.headers['retry-after']]).toEqual([503, 'disk_full', '30']);
    } finally {
      Object.assign(settings, { diskReserveMb: 0 });
      await client.query('ROLLBACK');
      client.release();
    }
    expect(await state('near')).toEqual(before);
    Object.assign(settings, { mirrorMaxMb: 4 });
    expect(await copyAgain(test, id)).toMatchObject({
      status: 'failed',
      error: { code: 'quota_reached', detail: expect.stringContaining('MIRROR_MAX_MB') },
    });
    expect(await state('near')).toEqual(before);
    Object.assign(settings, { mirrorMaxMb: 512_000 });
    expect((await copyAgain(test, id)).error).toBeNull();
    await expectNothingLeft();
  });

  onSmallDisks('refuses uploads with a sentence, keeps the table, and takes them once there is room', async (_, tables, uploads) => {
    await upload(test, 'sent', rowsOf(10, 'a'));
    const before = await state('sent');
    const parquet = files.path('sent.parquet');
    await files.run(null, `COPY (SELECT i AS id, md5(i::VARCHAR) || md5((i + 1)::VARCHAR) AS v FROM range(20000) t(i)) TO '${parquet}'`);
    const file = readFileSync(parquet);
    const type = 'application/vnd.apache.parquet';
    const sent = [
      (): Promise<any> => uploadRequest(test.admin, 'sent', rowsOf(20_000, 'b')),
      (): Promise<any> => uploadRequest(test.admin, 'sent', file, {}, type),
    ];
    const refused = async (send: () => Promise<any>, sentence: string): Promise<void> => {
      const { status, body, headers } = await send();
      expect([status, body.code, headers['retry-after']]).toEqual([503, 'disk_full', '30']);
      expect(body.message).toContain(sentence);
      expect(await state('sent')).toEqual(before);
      await expectNothingLeft();
      expect(await readdir(path.join(uploads.directory, 'uploads')).catch(() => [])).toEqual([]);
    };
    await tables.fill(roomLeft);
    for (const send of sent) await refused(send, 'disk of the database');
    await tables.empty();
    await uploads.fill(roomLeft);
    await refused(sent[1]!, 'DATA_DIR');
    await uploads.empty();
    expect((await sent[1]!()).body).toMatchObject({ rows: 20_000 });
  });
});
