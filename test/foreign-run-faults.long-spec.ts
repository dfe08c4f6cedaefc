import { setTimeout as sleep } from 'node:timers/promises';
import { type TestApp, startTestApp } from './support/app.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { aForeignConnection, contentOf, slowRows } from './support/foreign-tables.js';
import { aGraph, aJob, runToEnd } from './support/ingestion.js';

let app: TestApp;
let foreign: ForeignPostgres;

beforeAll(async () => {
  const settings = { WAREHOUSE_ALLOWED_ADDRESSES: '127.0.0.1', INGESTION_SOURCE_SILENCE_MS: '1000', INGESTION_MAX_SOURCE_ROWS: '20000' };
  [app, foreign] = await Promise.all([startTestApp(settings), ForeignPostgres.start()]);
  await aForeignConnection(app, foreign);
  await foreign.run(`
    ${slowRows}
    CREATE TABLE plain (id int, v text); INSERT INTO plain VALUES (1, 'a')`);
});
afterEach(() => foreign.run('UPDATE pace SET ms = 0'));
afterAll(async () => {
  await Promise.all([app.close(), foreign.remove()]);
});

const mappingOf = (table: string) =>
  `version: 1\nsource: {connection: far}\nnodes: [{id: a, label: A, table: ${table}, key: [id], columns: [{column: id}, {column: v}]}]`;

/** Makes a job and a graph that the job has loaded. */
async function aLoadedJob(table: string) {
  const graphId = await aGraph(app);
  const jobId = await aJob(app, graphId, mappingOf(table));
  expect((await runToEnd(app, jobId)).error).toBeNull();
  return { graphId, jobId, before: await contentOf(app, graphId) };
}

/** Starts a run and waits until it has copied the first rows. */
async function startCopying(jobId: number): Promise<number> {
  const { body } = await app.admin.post(`/api/ingestion/jobs/${jobId}/run`).expect(202);
  for (;;) {
    const { body: run } = await app.admin.get(`/api/ingestion/runs/${body.id}`).expect(200);
    if (run.phase === 'copying slow' && run.report.source.copied.rows > 0) return body.id;
    if (run.finished_at !== null) throw new Error(JSON.stringify(run));
    await sleep(50);
  }
}

async function ended(runId: number): Promise<any> {
  for (;;) {
    const { body } = await app.admin.get(`/api/ingestion/runs/${runId}`).expect(200);
    if (body.finished_at !== null) return body;
    await sleep(50);
  }
}

/** Expects the graph as before, no temporary tables here, and no running statement at the source. */
async function expectNothingLeft({ graphId, before }: Awaited<ReturnType<typeof aLoadedJob>>): Promise<void> {
  expect(await contentOf(app, graphId)).toEqual(before);
  const { rows } = await app.pool.query(`SELECT relname FROM pg_class WHERE relpersistence = 't' AND relkind = 'r'`);
  expect(rows).toEqual([]);
  for (let tries = 0; ; tries++) {
    const { rows: busy } = await foreign.run(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND usename = 'reader' AND state <> 'idle'`,
    );
    if (busy.length === 0) return;
    if (tries > 40) throw new Error('The source still works for the run');
    await sleep(50);
  }
}

describe('A run whose source', () => {
  it('drops the connection in the middle fails and says so, and the next one succeeds', async () => {
    const job = await aLoadedJob('slow');
    await foreign.run('UPDATE pace SET ms = 2');
    const runId = await startCopying(job.jobId);
    foreign.cut();
    expect(await ended(runId)).toMatchObject({
      status: 'failed',
      error: { code: 'source_lost', detail: expect.stringContaining("connection 'far', table 'slow'"), context: { table: 'slow' } },
    });
    await expectNothingLeft(job);
    await foreign.run('UPDATE pace SET ms = 0');
    expect((await runToEnd(app, job.jobId)).error).toBeNull();
  });

  it('is changed or deleted in the middle ends with the connection as it was', async () => {
    const job = await aLoadedJob('slow');
    const path = `/api/warehouse/connections/${await aForeignConnection(app, foreign, 'fleeting')}`;
    await app.admin
      .post(`/api/ingestion/jobs/${job.jobId}/revisions`)
      .send({ mapping_yaml: mappingOf('slow').replace('far', 'fleeting') })
      .expect(200);
    await foreign.run('UPDATE pace SET ms = 1');
    const first = await startCopying(job.jobId);
    await app.admin
      .patch(path)
      .send({ dsn: foreign.dsn({ user: 'nobody:x' }) })
      .expect(200);
    expect((await ended(first)).error).toBeNull();
    expect((await runToEnd(app, job.jobId)).error).toMatchObject({ code: 'source_unreachable', context: { failure: 'AUTH_FAILED' } });

    await app.admin.patch(path).send({ dsn: foreign.dsn() }).expect(200);
    const second = await startCopying(job.jobId);
    await app.admin
      .post(`/api/ingestion/jobs/${job.jobId}/revisions`)
      .send({ mapping_yaml: mappingOf('slow') })
      .expect(200);
    await app.admin.delete(path).expect(204);
    expect((await ended(second)).error).toBeNull();
    await expectNothingLeft(job);
  });

  it('sends nothing any more is given up', async () => {
    const job = await aLoadedJob('slow');
    await foreign.run('UPDATE pace SET ms = 60');
    const run = await runToEnd(app, job.jobId);
    expect(run).toMatchObject({ status: 'failed', error: { code: 'source_silent', context: { table: 'slow', seconds: 1 } } });
    await expectNothingLeft(job);
  });

  it.each([
    ['notices', Buffer.concat([Buffer.from([78, 0, 0, 39, 20]), Buffer.from(`SNOTICE\0M${'x'.repeat(9_989)}\0\0`)])],
    // An error message of a gigabyte, of which only the beginning is used.
    ['an error that does not end', Buffer.concat([Buffer.from([69, 63, 255, 255, 255]), Buffer.alloc(10_000, 83)])],
  ])('sends %s instead of rows is cut off, however long the run may wait', async (_, bytes) => {
    const job = await aLoadedJob('plain');
    const before = process.memoryUsage().rss;
    foreign.floodAtCopy = bytes;
    const asked = performance.now();
    const run = await runToEnd(app, job.jobId);
    foreign.floodAtCopy = null;
    expect(run).toMatchObject({ status: 'failed', error: { code: 'source_lost', context: { table: 'plain' } } });
    expect(performance.now() - asked).toBeLessThan(10_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000);
    foreign.cut();
    await expectNothingLeft(job);
  });

  it('is asked to stop when somebody cancels', async () => {
    const job = await aLoadedJob('slow');
    await foreign.run('UPDATE pace SET ms = 4');
    const runId = await startCopying(job.jobId);
    const asked = performance.now();
    await app.admin.post(`/api/ingestion/runs/${runId}/cancel`);
    expect(await ended(runId)).toMatchObject({ status: 'cancelled', error: null });
    expect(performance.now() - asked).toBeLessThan(15_000);
    await expectNothingLeft(job);
  });

  it('has sent nothing yet is asked to stop as well', async () => {
    const job = await aLoadedJob('plain');
    await foreign.run('ALTER TABLE plain RENAME TO kept; CREATE VIEW plain AS SELECT id, v || pg_sleep(600)::text AS v FROM kept');
    const { body } = await app.admin.post(`/api/ingestion/jobs/${job.jobId}/run`).expect(202);
    while (
      (await foreign.run(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND query ~ '^COPY' AND state = 'active'`))
        .rowCount === 0
    )
      await sleep(20);
    await app.admin.post(`/api/ingestion/runs/${body.id}/cancel`);
    expect(await ended(body.id)).toMatchObject({ status: 'cancelled', error: null });
    await expectNothingLeft(job);
    await foreign.run('DROP VIEW plain; ALTER TABLE kept RENAME TO plain');
  });

  it('trickles is given up at the time limit of the mapping, which it names', async () => {
    const graphId = await aGraph(app);
    const slow = mappingOf('slow').replace('connection: far', 'connection: far, statement_timeout: 2s');
    const jobId = await aJob(app, graphId, slow);
    const job = { graphId, jobId, before: await contentOf(app, graphId) };
    foreign.pauseMs = 200;
    const asked = performance.now();
    const run = await runToEnd(app, jobId);
    foreign.pauseMs = 0;
    expect(run.error).toMatchObject({
      code: 'source_timeout',
      detail: expect.stringContaining('statement_timeout'),
      context: { table: 'slow' },
    });
    expect(performance.now() - asked).toBeLessThan(15_000);
    await expectNothingLeft(job);
  });

  it.each([
    ['changes the type of', 'ALTER TABLE late ALTER v TYPE timestamp(3)', "type of the column 'v'"],
    ['renames', 'ALTER TABLE late RENAME v TO w', 'dropped or renamed'],
    ['drops', 'ALTER TABLE late DROP v', 'dropped or renamed'],
  ])('%s a column of a table while it sends another one fails the run', async (_, change, words) => {
    await foreign.run('DROP TABLE IF EXISTS late; CREATE TABLE late AS SELECT 1 AS id, now()::timestamp(0) AS v');
    const graphId = await aGraph(app);
    const late = ', {id: b, label: B, table: late, key: [id], columns: [{column: id}, {column: v}]}]';
    const jobId = await aJob(app, graphId, mappingOf('slow').replace(/]$/, late));
    const before = await contentOf(app, graphId);
    await foreign.run('UPDATE pace SET ms = 1');
    const runId = await startCopying(jobId);
    await foreign.run(change);
    expect(await ended(runId)).toMatchObject({
      status: 'failed',
      error: {
        code: 'source_changed',
        detail: expect.stringContaining(words),
        context: { connection: 'far', table: 'late' },
      },
    });
    await expectNothingLeft({ graphId, jobId, before });
  });

  it('has lost a column, or the right to a table, since the job was made says so', async () => {
    const job = await aLoadedJob('plain');
    await foreign.run('ALTER TABLE plain RENAME v TO w');
    expect((await runToEnd(app, job.jobId)).error).toMatchObject({
      code: 'source_changed',
      detail: expect.stringContaining("no column 'v'"),
    });
    await foreign.run('ALTER TABLE plain RENAME w TO v; REVOKE ALL ON plain FROM reader');
    expect((await runToEnd(app, job.jobId)).error).toMatchObject({ code: 'source_changed', detail: expect.stringContaining("'plain'") });
    await expectNothingLeft(job);
  });

  it('is larger than a run may copy fails', async () => {
    await foreign.run(
      'CREATE TABLE large AS SELECT n AS id, n::text AS v FROM generate_series(1, 20001) n; GRANT SELECT ON large TO reader',
    );
    const jobId = await aJob(app, await aGraph(app), mappingOf('large'));
    expect((await runToEnd(app, jobId)).error).toMatchObject({ code: 'source_too_large', context: { max_rows: 20_000 } });
  });
});
