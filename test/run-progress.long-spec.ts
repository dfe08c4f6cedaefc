import { setTimeout as sleep } from 'node:timers/promises';
import { type TestApp, startTestApp } from './support/app.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { aForeignConnection, slowRows } from './support/foreign-tables.js';
import { aGraph, aJob, ingest, runToEnd, upload } from './support/ingestion.js';
import { readEvents, type StreamedEvent } from './support/slow-queries.js';

let app: TestApp;
let foreign: ForeignPostgres;

beforeAll(async () => {
  [app, foreign] = await Promise.all([startTestApp(), ForeignPostgres.start()]);
  await aForeignConnection(app, foreign);
  await foreign.run(`
    ${slowRows}
    CREATE TABLE base AS SELECT n AS id, repeat('行', 700) AS v FROM generate_series(1, 3000) n; ANALYZE base; GRANT SELECT ON base TO reader`);
});
afterAll(async () => {
  await Promise.all([app.close(), foreign.remove()]);
});

/** Reads the events of a run until the stream ends, for at most a minute by default. */
const watch = (runId: number, options: Parameters<typeof readEvents>[3] = {}) =>
  readEvents(app, `/api/ingestion/runs/${runId}/events`, app.admin, { forMs: 60_000, ...options });

const start = async (jobId: number, query = ''): Promise<number> =>
  (await app.admin.post(`/api/ingestion/jobs/${jobId}/run${query}`).expect(202)).body.id;

/** The `progress` objects of one step, in the order of their events. */
const stepsOf = (events: StreamedEvent[], step: string) => events.map(({ data }) => data?.progress).filter(each => each?.step === step);

const expectRising = (figures: (number | null)[]) => expect(figures).toEqual([...figures].sort((a, b) => (a ?? -1) - (b ?? -1)));

describe('The progress of a run that copies a slow source', () => {
  const mapping = (table: string, more = '') =>
    `version: 1\nsource: {connection: far}\nnodes: [{id: a, label: A, table: ${table}, key: [id], columns: [{column: id}, {column: v}${more}]}]`;

  it('shows rows, bytes, a rate, and after a first success how long it will take', async () => {
    const jobId = await aJob(app, await aGraph(app), mapping('slow'));
    expect((await runToEnd(app, jobId)).error).toBeNull();
    await foreign.run('UPDATE pace SET ms = 2');
    const runId = await start(jobId, '?full=true');
    let polled: any;
    const { events, headers } = await watch(runId, {
      onEvent: ({ data }) => {
        if (data.progress?.rows > 1_000) polled ??= app.admin.get(`/api/ingestion/runs/${runId}`).then(({ body }) => body);
      },
    });
    expect(headers.get('x-accel-buffering')).toBe('no');
    const copying = stepsOf(events, 'copying');
    expect(copying.length).toBeGreaterThanOrEqual(4);
    expectRising(copying.map(({ rows }) => rows));
    expectRising(copying.map(({ bytes }) => bytes));
    const late = copying.at(-1);
    expect(late).toMatchObject({
      of: 'slow', expected_rows: 3_000, expected_from: 'last_run', remaining_of: 'run', remaining_from: 'rate_and_last_run', remaining_reason: null,
    }); // prettier-ignore
    // The source takes 2 ms for each row, so the rate is below 500 rows a second, plus some tolerance.
    expect(late.rows_per_second).toBeGreaterThan(0);
    expect(late.rows_per_second).toBeLessThan(800);
    expect(late.bytes_per_second).toBeGreaterThan(late.rows_per_second * 2_000);
    expect(late.remaining_seconds).toBeLessThanOrEqual(Math.ceil(3_000 / late.rows_per_second) + 2);
    expect(late.last_run.share_before + late.last_run.share_of_step).toBeLessThanOrEqual(1);
    expect(await polled).toMatchObject({ status: 'running', phase: 'copying slow', progress: { step: 'copying', expected_rows: 3_000 } });
    expect(events.at(-1)).toMatchObject({ type: 'end', data: { status: 'succeeded', progress: null } });
    expect(events.at(-1)!.data.report.steps.map(({ step, of, rows }: any) => [step, of, rows])).toEqual([
      ['checking', null, null],
      ['copying', 'slow', 3_000],
      ['staging', 'A', 3_000],
      ['waiting', null, null],
      ['writing', null, null],
      ['writing', 'A', 0],
      ['recording', null, null],
    ]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  });

  it('takes the statistics of the source for a first run, and tells no time for a view', async () => {
    foreign.pauseMs = 40;
    // These 150 expressions make staging slow enough for an event to be seen.
    const hashes = Array.from({ length: 150 }, (_, n) => `, {expression: "md5(v || '${n}')", property: p${n}}`).join('');
    const known = await watch(await start(await aJob(app, await aGraph(app), mapping('base', hashes))));
    foreign.pauseMs = 0;
    const copying = stepsOf(known.events, 'copying').filter(({ expected_rows }) => expected_rows !== null);
    expect(copying.length).toBeGreaterThan(0);
    for (const { remaining_of, ...progress } of copying) {
      expect(progress).toMatchObject({ expected_rows: 3_000, expected_from: 'statistics', last_run: null });
      expect([null, 'step']).toContain(remaining_of);
    }
    // The rows were counted while they were copied, so the number that staging expects is exact.
    expect(stepsOf(known.events, 'staging')[0]).toMatchObject({ expected_rows: 3_000, expected_from: 'exact' });
    await foreign.run('UPDATE pace SET ms = 1');
    const unknown = await watch(await start(await aJob(app, await aGraph(app), mapping('slow'))));
    for (const progress of stepsOf(unknown.events, 'copying'))
      expect(progress).toMatchObject({
        expected_rows: null,
        remaining_seconds: null,
        remaining_reason: expect.stringContaining('no run of this revision'),
      });
  });
});

describe('The progress of a run of the mirror', () => {
  it('counts the rows of one INSERT from outside, while it stages and while it writes', async () => {
    const rows = Array.from({ length: 40_000 }, (_, n) => `${n},${n % 100}`).join('\n');
    await upload(app, 'many', `id,c\n${rows}\n`);
    const columns = Array.from({ length: 40 }, (_, n) => `{expression: "md5(id::text || '${n}')", property: p${n}}`).join(', ');
    const jobId = await aJob(app, await aGraph(app), `version: 1
nodes: [{id: a, label: A, table: many, key: [id], columns: [{column: id}, ${columns}]}]
edges: [{type: E, table: many, from: {node: a, match: {id: id}}, to: {node: a, match: {c: id}}}]`); // prettier-ignore
    const { events } = await watch(await start(jobId));
    expect(events.at(-1)!.data.error).toBeNull();
    const staging = stepsOf(events, 'staging').filter(({ of }) => of === 'A');
    const between = staging.filter(({ rows }) => rows > 0 && rows < 40_000);
    expect(between.length).toBeGreaterThan(0);
    for (const { rows, expected_rows, expected_from } of between) {
      expect(rows % 1_000).toBe(0);
      expect([expected_rows, expected_from]).toEqual([40_000, 'statistics']);
    }
    expectRising(staging.map(({ rows }) => rows));
    expect(events.at(-1)!.data.report.steps.filter(({ rows }: any) => rows !== null).map(({ step, of, rows }: any) => [step, of, rows])).toEqual([
      ['staging', 'A', 40_000], ['staging', 'E', 40_000], ['writing', 'A', 40_000], ['writing', 'E', 40_000],
    ]); // prettier-ignore
    // After the run, no connection keeps the application name that showed its progress.
    const { rows: names } = await app.pool.query(
      `SELECT application_name FROM pg_stat_activity WHERE datname = current_database() AND application_name ~ 'staging|nodes|edges'`,
    );
    expect(names).toEqual([]);
  });
});

describe('An event stream', () => {
  let runId: number;
  beforeAll(async () => {
    await foreign.run('UPDATE pace SET ms = 0');
    await upload(app, 'few', 'id\n1\n');
    runId = (await ingest(app, 'version: 1\nnodes: [{id: a, label: A, table: few, key: [id], columns: [{column: id}]}]')).run.id;
  });

  it('goes on after the last event that its reader has, and stays closed after the end', async () => {
    const first = await watch(runId);
    expect(first.events.map(({ type }) => type)).toEqual(['end']);
    const again = await watch(runId, { lastId: 'another' });
    expect(again.events).toEqual(first.events);
    const { status, events } = await watch(runId, { lastId: first.events[0]!.id });
    expect([status, events]).toEqual([204, []]);
  });

  it('sends no state twice, but comments, so that proxies keep it open', async () => {
    const jobId = await aJob(
      app,
      await aGraph(app),
      'version: 1\nnodes: [{id: a, label: A, table: few, key: [id], columns: [{column: id}]}]',
    );
    const { rows } = await app.pool.query(
      `INSERT INTO ingestion_runs (job_id, status, revision, lease_owner, lease_until) VALUES ($1, 'running', 1, gen_random_uuid(), now() + interval '1 hour') RETURNING id`,
      [jobId],
    );
    const quiet = rows[0].id as number;
    const first = await watch(quiet, { forMs: 12_500 });
    expect(first.events.map(({ type }) => type)).toEqual(['progress', 'comment']);
    const second = await watch(quiet, { forMs: 2_000, lastId: first.events[0]!.id });
    expect(second.events.map(({ type }) => type)).toEqual(['comment']);
    await app.pool.query(`UPDATE ingestion_runs SET status = 'cancelled' WHERE id = $1`, [quiet]);
  });

  it('reads the run once for several readers', async () => {
    const jobId = await aJob(
      app,
      await aGraph(app),
      'version: 1\nnodes: [{id: a, label: A, table: few, key: [id], columns: [{column: id}]}]',
    );
    const { rows } = await app.pool.query(
      `INSERT INTO ingestion_runs (job_id, status, revision, lease_owner, lease_until) VALUES ($1, 'running', 1, gen_random_uuid(), now() + interval '1 hour') RETURNING id`,
      [jobId],
    );
    const query = jest.spyOn(app.pool, 'query');
    const streams = Array.from({ length: 5 }, () => watch(rows[0].id, { forMs: 5_000 }));
    await sleep(500);
    query.mockClear();
    await Promise.all(streams);
    const reads = query.mock.calls.filter(([text]) => typeof text === 'string' && text.includes('r.report, r.error')).length;
    query.mockRestore();
    await app.pool.query(`UPDATE ingestion_runs SET status = 'cancelled' WHERE id = $1`, [rows[0].id]);
    // One reader alone reads at most every half second: 10 reads in 5 s. Five independent readers would read five times as often.
    expect(reads).toBeGreaterThan(3);
    expect(reads).toBeLessThanOrEqual(11);
  });
});
