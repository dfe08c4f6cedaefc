import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DiskReserve } from '../src/database/disk-reserve.js';
import { Settings } from '../src/config/settings.js';
import { type Client, grantConnection, startTestApp, type TestApp } from './support/app.js';
import { asSuperuser } from './support/database.js';
import { aGraph, aJob, quickMapping, numbersCsv, slowMapping, tablesPath, upload, uploadRequest } from './support/ingestion.js';
import { rawUpload } from './support/raw-upload.js';

const megabyte = 1_048_576;
/** CSV whose rows take some 700 bytes each in the table. */
const rowsOf = (count: number, letter = 'a'): string => `id,v\n${`1,${letter.repeat(700)}\n`.repeat(count)}`;

let test: TestApp;
let lin: Client;
let wei: Client;

beforeAll(async () => {
  const directory = await mkdtemp(path.join(process.env.TEST_DIRECTORY!, 'data-'));
  test = await startTestApp({
    DATA_DIR: directory,
    DISK_RESERVE_MB: '0',
    MIRROR_MAX_MB_PER_USER: '2',
    MIRROR_MAX_MB: '8',
    GRAPHS_MAX_MB_PER_USER: '3',
    MAX_RECORDS_PER_GRAPH: '3',
    MAX_TABLES_PER_USER: '3',
  });
  [lin, wei] = [await test.asUser('lin'), await test.asUser('wei')];
  await grantConnection(test, 'everyone', 'write');
});
afterAll(() => test.close());

const contentOf = async (table: string): Promise<unknown> =>
  (await test.pool.query(`SELECT count(*)::int, min(v), (SELECT version FROM mirror_tables WHERE name = '${table}') FROM mirror.${table}`))
    .rows[0];

describe('the bytes of the mirror', () => {
  const refused = async (as: Client, table: string, rows: number, setting: string, query = {}): Promise<void> => {
    const { status, body } = await uploadRequest(as, table, rowsOf(rows), query);
    expect([status, body.code]).toEqual([409, 'quota_reached']);
    expect(body.message).toMatch(new RegExp(`调高 ${setting} / .*${setting}\\); nothing was changed`));
  };
  const loaded = async (as: Client, table: string, rows: number, query = {}): Promise<void> => {
    expect((await uploadRequest(as, table, rowsOf(rows), query)).body).toMatchObject({ rows });
  };
  const drop = (table: string) => test.admin.delete(`${tablesPath}/${table}?force=true`).expect(204);

  it('are bounded for each user by the tables that the user was the last to load, and nothing changes beyond', async () => {
    await loaded(lin, 'first', 1_000);
    const before = await contentOf('first');
    await refused(lin, 'second', 2_000, 'MIRROR_MAX_MB_PER_USER');
    await refused(lin, 'first', 3_000, 'MIRROR_MAX_MB_PER_USER');
    await refused(lin, 'first', 2_000, 'MIRROR_MAX_MB_PER_USER', { mode: 'append' });
    expect(await contentOf('first')).toEqual(before);
    await test.admin.get(`${tablesPath}/second`).expect(404);
    // The table that the upload replaces is not counted, so this upload has room.
    await loaded(lin, 'first', 2_000);
    await loaded(wei, 'first', 200, { mode: 'append' });
    await loaded(lin, 'second', 2_000);
    await refused(wei, 'third', 1_000, 'MIRROR_MAX_MB_PER_USER');
    await drop('first');
    await loaded(wei, 'third', 1_000);
    await drop('second');
    await drop('third');
  });

  it('are those of the catalogue too, and of no more tables than a user may have', async () => {
    const user = await test.asUser('of-many-tables');
    const tables = ['one', 'two', 'three'];
    for (const table of tables) await loaded(user, table, 1);
    const { body } = await uploadRequest(user, 'four', rowsOf(1)).expect(409);
    expect(body).toMatchObject({ code: 'quota_reached', context: { most: 3 } });
    await test.admin.get(`${tablesPath}/four`).expect(404);
    await loaded(user, 'one', 2);
    const wide = Array.from({ length: 200 }, (_, column) => `c${column}`);
    await uploadRequest(user, 'one', `${wide.join()}\n${wide.join()}\n`).expect(200);
    const { rows } = await test.pool.query(`SELECT bytes::int FROM mirror_tables WHERE name = 'one'`);
    expect(rows[0].bytes).toBeGreaterThan(200_000);
    for (const table of tables) await drop(table);
  });

  it('are bounded for all together, also for admins', async () => {
    await loaded(test.admin, 'large', 6_000);
    await refused(test.admin, 'larger', 8_000, 'MIRROR_MAX_MB');
    await loaded(lin, 'first', 2_000);
    await loaded(test.admin, 'larger', 1_500);
    await refused(wei, 'second', 2_000, 'MIRROR_MAX_MB');
    for (const table of ['large', 'larger', 'first']) await drop(table);
  });

  it('are counted while a file arrives, and two uploads at once do not pass together', async () => {
    const { request, answer } = rawUpload(test, lin, 'endless');
    request.on('error', () => undefined);
    const block = `1,${'a'.repeat(1_000)}\n`.repeat(1_000);
    request.write(`id,v\n${block}`);
    for (let sent = 0; sent < 64 && !request.writableFinished && request.socket?.destroyed !== true; sent++) {
      if (await Promise.race([answer.then(() => true), sleep(5, false)])) break;
      request.write(block);
    }
    expect(await answer).toMatchObject({ status: 409, body: { code: 'quota_reached', context: { most: 2 * megabyte } } });
    request.destroy();
    const statuses = await Promise.all(['one', 'two'].map(async name => (await uploadRequest(wei, name, rowsOf(2_000))).status));
    expect(statuses.sort()).toEqual([201, 409]);
    await drop((await test.admin.get(`${tablesPath}/one`)).status === 200 ? 'one' : 'two');
  });
});

describe('the bytes of the graphs of a user', () => {
  const graphOf = async (as: Client): Promise<number> => (await as.post('/api/graphs').send({ name: '图' }).expect(201)).body.id;
  const detailsOf = async (graphId: number): Promise<any> => (await test.admin.get(`/api/graphs/${graphId}`).expect(200)).body;
  const mappingOf = (query: string): string => `version: 1
nodes:
  - {id: r, label: 行, query: ${query}, key: [i], columns: [{column: i}, {column: v}]}
`;
  const run = async (as: Client, graphId: number, query: string): Promise<any> => {
    const { body: job } = await as.post('/api/ingestion/jobs').send({ graph_id: graphId, mapping_yaml: mappingOf(query) });
    if (job.id === undefined) throw new Error(JSON.stringify(job));
    return (await as.post(`/api/ingestion/jobs/${job.id}/run`).set('Prefer', 'wait=60').expect(200)).body;
  };
  const letters = (times: number, more: string): string =>
    `"SELECT a.i * 300 + b.i AS i, '${'a'.repeat(times)}' AS v FROM numbers a CROSS JOIN numbers b ${more}"`;
  const small = letters(20, 'WHERE b.i < 20');
  const large = letters(250, 'WHERE b.i < 20');
  const refused = {
    status: 'failed',
    error: {
      code: 'quota_reached',
      detail: expect.stringMatching(/调高 GRAPHS_MAX_MB_PER_USER \/ .*\(GRAPHS_MAX_MB_PER_USER\)/),
      context: { most: 3 * megabyte },
    },
  };

  beforeAll(() => upload(test, 'numbers', numbersCsv));

  it('are bounded for the owner over all graphs, whoever runs the job, and nothing changes beyond', async () => {
    const [first, second] = [await graphOf(lin), await graphOf(lin)];
    expect(await run(lin, first, small)).toMatchObject({ status: 'succeeded' });
    expect((await detailsOf(first)).bytes).toBeGreaterThan(megabyte);
    expect(await run(test.admin, second, large)).toMatchObject(refused);
    expect(await detailsOf(second)).toMatchObject({ version: 0, node_count: 0, bytes: 0 });
    // Another user has the full quota. The first user has it again after the graph is deleted.
    expect(await run(wei, await graphOf(wei), large)).toMatchObject({ status: 'succeeded' });
    await lin.delete(`/api/graphs/${first}`).expect(204);
    expect(await run(lin, second, large)).toMatchObject({ status: 'succeeded' });
  });

  it('end a statement that would read on, in a run and in a trial', async () => {
    const zhou = await test.asUser('zhou');
    const endless = letters(900, 'CROSS JOIN numbers c CROSS JOIN numbers d');
    const ended = await run(zhou, await graphOf(zhou), endless);
    expect(ended).toMatchObject(refused);
    const dryRun = { mapping_yaml: mappingOf(endless), dry_run: true };
    const { body } = await zhou.post(`/api/ingestion/jobs/${ended.job_id}/revisions`).send(dryRun).expect(200);
    expect(body.trial).toMatchObject({ outcome: 'fails', error: refused.error });
  });

  it('let a graph shrink that is larger than its owner may have', async () => {
    const qian = await test.asUser('qian');
    const graphId = await graphOf(qian);
    const { job_id: jobId } = await run(qian, graphId, large);
    const settings = test.app.get(Settings);
    Object.assign(settings, { graphsMaxMbPerUser: 1 });
    try {
      expect(await run(qian, graphId, small)).toMatchObject({ error: { code: 'quota_reached' } });
      const retired = await qian.post(`/api/ingestion/jobs/${jobId}/retire`).set('Prefer', 'wait=60').expect(200);
      expect(retired.body).toMatchObject({ status: 'succeeded' });
      expect(await detailsOf(graphId)).toMatchObject({ node_count: 0 });
    } finally {
      Object.assign(settings, { graphsMaxMbPerUser: 3 });
    }
  });
});

it('counts the bytes of the mappings and bindings of a graph, also of former ones', async () => {
  const { body: graph } = await wei.post('/api/graphs').send({ name: 'g' }).expect(201);
  await upload(test, 'numbers', numbersCsv);
  const mapping_yaml = `${quickMapping}# ${'x'.repeat(250_000)}\n`;
  const { body: job } = await wei.post('/api/ingestion/jobs').send({ graph_id: graph.id, mapping_yaml }).expect(201);
  const revise = (text: string) => wei.post(`/api/ingestion/jobs/${job.id}/revisions`).send({ mapping_yaml: text });
  await revise(mapping_yaml).expect(200);
  await revise(mapping_yaml).expect(200);
  expect((await revise(mapping_yaml).expect(409)).body).toMatchObject({ code: 'quota_reached', context: { most: 3 * 256 * 1024 } });
  await revise(quickMapping).expect(200);
  const binding = { connection_id: 1, relation: { table: 'numbers' }, grain: ['i'], row_filter: `i > 0${' AND i > 0'.repeat(200)}` };
  const metric = { graph_id: graph.id, name: 'm', formula: 'SUM(i)', binding };
  await wei.post('/api/metrics').send(metric).expect(201);
  await revise(`${quickMapping}# ${'x'.repeat(28_000)}\n`).expect(200);
  expect((await wei.post('/api/metrics').send({ ...metric, name: 'n' })).body).toMatchObject({ code: 'quota_reached' });
});

describe('a disk whose reserve is reached', () => {
  /**
   * Sets the free space that must stay on the disk of this application. It calls `require` twice, because the first call may join a
   * measurement that started with the former reserve.
   */
  async function reserve(megabytes: number): Promise<void> {
    Object.assign(test.app.get(Settings), { diskReserveMb: megabytes });
    for (let look = 0; look < 2; look++) {
      await test.app
        .get(DiskReserve)
        .require()
        .catch(() => undefined);
    }
  }
  const more = 100_000_000;
  afterEach(() => reserve(0));
  const lack = {
    status: 503,
    headers: expect.objectContaining({ 'retry-after': '30' }),
    body: expect.objectContaining({ code: 'disk_full' }),
  };

  it('refuses uploads, runs and trials, takes logins and reads, and takes all again once there is room', async () => {
    await upload(test, 'numbers', numbersCsv);
    const before = (await test.pool.query('SELECT count(*)::int AS n FROM ingestion_runs')).rows;
    const jobId = await aJob(test, await aGraph(test), quickMapping);
    const revise = (mapping_yaml: string) => test.admin.post(`/api/ingestion/jobs/${jobId}/revisions`).send({ mapping_yaml });
    await reserve(more);
    expect(await revise(`${quickMapping}# ${'x'.repeat(20_000)}\n`)).toMatchObject(lack);
    await revise(`${quickMapping}# small\n`).expect(200);
    const refused = await uploadRequest(test.admin, 'numbers', 'i\n1\n');
    expect(refused).toMatchObject(lack);
    expect(refused.body.message).toMatch(/DISK_RESERVE_MB.* MiB left, less than its reserve of 100000000 MiB/);
    expect(await test.admin.post(`/api/ingestion/jobs/${jobId}/run`)).toMatchObject(lack);
    expect((await test.pool.query('SELECT count(*)::int AS n FROM ingestion_runs')).rows).toEqual(before);
    await test.asUser('new_one');
    expect((await test.admin.get(`${tablesPath}/numbers`).expect(200)).body.row_estimate).toBe(300);
    await reserve(0);
    expect((await uploadRequest(test.admin, 'numbers', numbersCsv)).status).toBe(200);
    await test.admin.post(`/api/ingestion/jobs/${jobId}/run`).set('Prefer', 'wait=60').expect(200);
  });

  it('ends an upload that is under way, which changes nothing', async () => {
    await uploadRequest(test.admin, 'kept', rowsOf(10));
    const before = await contentOf('kept');
    const { request, answer } = rawUpload(test, test.admin, 'kept');
    request.write(rowsOf(2_000, 'b'));
    while ((await loading()) === 0) await sleep(10);
    await reserve(more);
    // The upload is stopped only when its next bytes arrive, so the lack must be noticed before they are sent.
    while (test.app.get(DiskReserve).lack === null) await sleep(10);
    request.end('2,c\n');
    expect(await answer).toMatchObject(lack);
    expect(await contentOf('kept')).toEqual(before);
    const { rows } = await test.pool.query(`SELECT FROM pg_class WHERE relname ~ '^upload_'`);
    expect(rows).toEqual([]);
  });

  it('ends the statement of an upload that has arrived, and a run, which tells why', async () => {
    await upload(test, 'numbers', numbersCsv);
    const graphId = await aGraph(test);
    const jobId = await aJob(test, graphId, slowMapping);
    const { body: run } = await test.admin.post(`/api/ingestion/jobs/${jobId}/run`).expect(202);
    const state = async (): Promise<any> => (await test.admin.get(`/api/ingestion/runs/${run.id}`).expect(200)).body;
    while (!/^staging/.test((await state()).phase ?? '')) await sleep(20);
    // Another session locks the table `held`, so the upload has received its last byte and waits for the lock.
    const client = await test.pool.connect();
    try {
      await client.query("BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('mirror.held', 0))");
      const held = uploadRequest(test.admin, 'held', 'a\n1\n').then(answer => answer);
      while ((await waiting()) === 0) await sleep(10);
      await reserve(more);
      expect(await held).toMatchObject(lack);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
    while ((await state()).status === 'running') await sleep(20);
    expect(await state()).toMatchObject({
      status: 'failed',
      error: { code: 'disk_full', detail: expect.stringContaining('DISK_RESERVE_MB') },
    });
    expect((await test.admin.get(`/api/graphs/${graphId}`).expect(200)).body).toMatchObject({ version: 0, node_count: 0 });
  });
});

it('refuses a file whose rows need more temporary disk than a session may take, as its own fault', async () => {
  await asSuperuser(
    test.databaseUrl,
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET temp_file_limit = 64', current_database()); END $$`,
  );
  await asSuperuser(test.databaseUrl, `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET work_mem = 64', current_database()); END $$`);
  await asSuperuser(test.databaseUrl, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'graph-service mirror upload' AND datname = current_database()`); // prettier-ignore
  const csv = `id\n${Array.from({ length: 60_000 }, (_, id) => id).join('\n')}\n`;
  const { status, body } = await uploadRequest(test.admin, 'sorted', csv, { mode: 'upsert', key: 'id' });
  expect([status, body.detail.errors]).toEqual([422, [expect.objectContaining({ loc: ['body'], type: 'csv_too_large' })]]);
});

const sessions = async (condition: string): Promise<number> =>
  (
    await test.pool.query(
      `SELECT count(*)::int AS n FROM pg_stat_activity
       WHERE application_name = 'graph-service mirror upload' AND datname = current_database() AND ${condition}`,
    )
  ).rows[0].n;
const loading = (): Promise<number> => sessions(`query LIKE 'COPY%' AND state = 'active'`);
const waiting = (): Promise<number> => sessions(`wait_event_type = 'Lock'`);
