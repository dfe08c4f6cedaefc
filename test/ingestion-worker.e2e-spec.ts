import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { graphTables } from '../src/database/graph-tables.js';
import { DatabaseAccess } from '../src/database/roles/database-access.js';
import { IngestionWorker } from '../src/ingestion/ingestion.worker.js';
import { type TestApp, startTestApp } from './support/app.js';
import { asSuperuser, untilWaiting } from './support/database.js';
import { aGraph, aJob, counts, runToEnd, slowMapping as slow, upload, numbersCsv } from './support/ingestion.js';
import { itLong } from './support/tier.js';

let app: TestApp;

const mapping = (more = ''): string => `version: 1
defaults: {on_error: quarantine, max_error_rate: 1}
nodes:
  - {id: r, label: 行, table: rows_of_test, key: [id], columns: [{column: id}, {column: n, type: int, rules: [{min: 0}]}]${more}}
`;

beforeAll(async () => {
  app = await startTestApp({}, { own: true });
  await upload(app, 'rows_of_test', 'id,n\n1,1\n2,-1\n3,x\n', 'id:text,n:text');
  await upload(app, 'numbers', numbersCsv);
});
afterAll(async () => {
  await app.close();
});

async function untilStatus(runId: number, wanted: string): Promise<any> {
  for (let tries = 0; tries < 1_000; tries++) {
    const { body } = await app.admin.get(`/api/ingestion/runs/${runId}`).expect(200);
    if (body.status === wanted) return body;
    await sleep(50);
  }
  throw new Error(`Run ${runId} did not become ${wanted}`);
}

async function untilPhase(runId: number, phase: RegExp): Promise<any> {
  for (let tries = 0; tries < 1_000; tries++) {
    const { body } = await app.admin.get(`/api/ingestion/runs/${runId}`).expect(200);
    if (phase.test(body.phase ?? '')) return body;
    await sleep(50);
  }
  throw new Error(`Run ${runId} did not reach ${phase}`);
}

describe('running a job', () => {
  it('answers 202 with the place to look, and shows the report when it has ended', async () => {
    const jobId = await aJob(app, await aGraph(app), mapping());
    const response = await app.admin.post(`/api/ingestion/jobs/${jobId}/run`).expect(202);
    expect(response.headers.location).toBe(`/api/ingestion/runs/${response.body.id}`);
    const run = await untilStatus(response.body.id, 'succeeded');
    expect(run.report).toMatchObject({ graph_version: 1, totals: { read: 3, inserted: 1, rejected: 2 } });
    expect(run.report.rows_per_s).toBeGreaterThan(0);
    expect(run.report.rejected_sample).toHaveLength(2);
    expect(run).toMatchObject({ started_by: 'user', report: { targets: [{ state: 'done' }] } });
  });

  it('answers 409 while a run of the job is under way, and cancels it', async () => {
    const jobId = await aJob(app, await aGraph(app), slow);
    const { body: first } = await app.admin.post(`/api/ingestion/jobs/${jobId}/run`).expect(202);
    let going = await untilPhase(first.id, /^staging/);
    expect(going).toMatchObject({ status: 'running', attempt: 1 });
    // The state of a target is written later than the phase.
    while (going.report.targets[0].state === 'waiting') going = await untilPhase(first.id, /^staging/);
    expect(going.report.targets[0]).toMatchObject({ target: '慢', state: 'staging' });
    const { body: refused } = await app.admin.post(`/api/ingestion/jobs/${jobId}/run`).expect(409);
    expect(refused.code).toBe('run_active');
    await app.admin.post(`/api/ingestion/runs/${first.id}/cancel`).expect(202);
    const cancelled = await untilStatus(first.id, 'cancelled');
    expect(cancelled.finished_at).not.toBeNull();
    await app.admin.post(`/api/ingestion/runs/${first.id}/cancel`).expect(409);
    // The job can be run again.
    const { body: second } = await app.admin.post(`/api/ingestion/jobs/${jobId}/run`).expect(202);
    await app.admin.post(`/api/ingestion/runs/${second.id}/cancel`).expect(202);
    await untilStatus(second.id, 'cancelled');
  });

  itLong('cancels no statement of others by a cancellation that comes late', async () => {
    const { body: run } = await app.admin.post(`/api/ingestion/jobs/${await aJob(app, await aGraph(app), slow)}/run`).expect(202);
    await untilPhase(run.id, /^staging/);
    const query = app.pool.query.bind(app.pool) as (...call: any[]) => any;
    const held: { pid: number; go: () => void }[] = [];
    const spy = jest.spyOn(app.pool, 'query').mockImplementation(((...call: any[]) => {
      if (held.length > 0 || !/pg_cancel_backend/.test(call[0])) return query(...call);
      return new Promise(resolve => held.push({ pid: call[1][0], go: () => resolve({ rows: [] }) }));
    }) as never);
    try {
      // The first cancellation is delayed until the end of this test, so the cancellation by the next heartbeat ends the run.
      const cancelling = app.admin.post(`/api/ingestion/runs/${run.id}/cancel`).expect(202).then();
      await untilStatus(run.id, 'cancelled');
      const others = await Promise.all(Array.from({ length: app.pool.totalCount }, () => app.pool.connect()));
      const working = Promise.allSettled(others.map(client => client.query('SELECT pg_sleep(1)')));
      await asSuperuser(app.databaseUrl, `SELECT pg_cancel_backend(${held[0]!.pid})`);
      held[0]!.go();
      const ends = await working;
      for (const client of others) client.release();
      expect(ends.map(({ status }) => status)).toEqual(others.map(() => 'fulfilled'));
      await cancelling;
    } finally {
      spy.mockRestore();
    }
  });

  it('stops a step that takes longer than the mapping allows', async () => {
    const jobId = await aJob(app, await aGraph(app), slow.replace('30m', '200ms'));
    expect(await runToEnd(app, jobId)).toMatchObject({ status: 'failed', error: { code: 'statement_timeout' } });
  });

  it('says so when the source no longer fits the mapping', async () => {
    await upload(app, 'changing', 'id,n\n1,1\n');
    const jobId = await aJob(app, await aGraph(app), mapping().replace('rows_of_test', 'changing'));
    await upload(app, 'changing', 'id,m\n1,1\n');
    expect(await runToEnd(app, jobId)).toMatchObject({ status: 'failed', error: { code: 'source_changed' } });
  });

  it.each([
    ['dropped', `DROP TABLE mirror.fleeting; DELETE FROM mirror_tables WHERE name = 'fleeting'`],
    [
      'replaced',
      `DROP TABLE mirror.fleeting; CREATE TABLE mirror.fleeting AS SELECT 'x' AS other; UPDATE mirror_tables SET version = DEFAULT WHERE name = 'fleeting'`,
    ],
  ])('says so when a table is %s between its description and its reading', async (_, change) => {
    await upload(app, 'fleeting', 'id\n1\n');
    const text = `version: 1\nnodes: [{id: r, label: 行, table: fleeting, key: [id], columns: [{column: id}]}]`;
    const jobId = await aJob(app, await aGraph(app), text);
    let id = 0;
    await app.pool.transaction(async client => {
      await client.query('LOCK TABLE mirror.fleeting IN ACCESS EXCLUSIVE MODE');
      ({ id } = (await app.admin.post(`/api/ingestion/jobs/${jobId}/run`).expect(202)).body);
      await untilPhase(id, /^staging/);
      await client.query(change);
    });
    expect((await untilStatus(id, 'failed')).error).toMatchObject({
      code: 'source_changed',
      detail: expect.stringContaining("'fleeting'"),
    });
  });

  it('describes a table again that is loaded with other types before it is read', async () => {
    await upload(app, 'moving', 'id,v\n1,7\n2,7\n', 'id:text,v:text');
    const graphId = await aGraph(app);
    const jobId = await aJob(
      app,
      graphId,
      `version: 1\nnodes: [{id: m, label: M, table: moving, key: [id], columns: [{column: id}, {column: v}]}]`,
    );
    let running: Promise<any> | undefined;
    await app.pool.transaction(async loading => {
      await loading.query('LOCK TABLE mirror.moving IN ACCESS EXCLUSIVE MODE');
      running = runToEnd(app, jobId);
      await untilWaiting(app.pool, 'moving', 1);
      await loading.query(
        `DROP TABLE mirror.moving; CREATE TABLE mirror.moving AS SELECT id, 8 AS v FROM (VALUES ('1'), ('2')) AS rows (id);
         GRANT SELECT ON mirror.moving TO ${app.app.get(DatabaseAccess).nameOf('mirror')};
         UPDATE mirror_tables SET version = DEFAULT WHERE name = 'moving'`,
      );
    });
    expect((await running).status).toBe('succeeded');
    const { body } = await app.admin.post(`/api/graphs/${graphId}/query`).send({ cypher: 'MATCH (m:M) RETURN m.v' }).expect(200);
    expect(body.rows).toEqual([[8], [8]]);
  });

  it('fails a run whose own SQL meets a value it cannot process, and names no row in the error', async () => {
    const jobId = await aJob(app, await aGraph(app), mapping(`, where: "n::int > 0"`));
    const run = await runToEnd(app, jobId);
    expect(run).toMatchObject({ status: 'failed', error: { code: 'source_sql_failed', context: { sqlstate: '22P02' } } });
  });

  it('lists the runs of a job, the newest first', async () => {
    const jobId = await aJob(app, await aGraph(app), mapping());
    const first = await runToEnd(app, jobId);
    const second = await runToEnd(app, jobId);
    const { body } = await app.admin.get(`/api/ingestion/jobs/${jobId}/runs?limit=1`).expect(200);
    expect(body.items.map((run: any) => run.id)).toEqual([second.id]);
    const { body: rest } = await app.admin.get(`/api/ingestion/jobs/${jobId}/runs?cursor=${body.next_cursor}`).expect(200);
    expect(rest.items.map((run: any) => run.id)).toEqual([first.id]);
    expect((await app.admin.get(`/api/ingestion/jobs/${jobId}`)).body.last_run).toEqual({ id: second.id, status: 'succeeded' });
  });
});

describe('leases', () => {
  const insertRun = async (jobId: number, columns: string, values: string): Promise<number> => {
    const { rows } = await app.pool.query(
      `INSERT INTO ingestion_runs (job_id, requested_by, ${columns}) VALUES ($1, 1, ${values}) RETURNING id`,
      [jobId],
    );
    return rows[0].id;
  };

  it('takes over the run of a worker that has died', async () => {
    const jobId = await aJob(app, await aGraph(app), mapping());
    const runId = await insertRun(
      jobId,
      'status, attempt, lease_owner, lease_until, started_at',
      `'running', 1, '${randomUUID()}', now() - interval '1 second', now() - interval '1 minute'`,
    );
    const run = await untilStatus(runId, 'succeeded');
    expect(run.attempt).toBe(2);
    expect(counts(run)['行']).toEqual([3, 1, 0, 0, 0, 2, 0]);
  });

  itLong('leaves a run alone whose worker still holds its lease', async () => {
    const jobId = await aJob(app, await aGraph(app), mapping());
    const runId = await insertRun(
      jobId,
      'status, attempt, lease_owner, lease_until',
      `'running', 1, '${randomUUID()}', now() + interval '1 hour'`,
    );
    // The worker that claims this later run finds the earlier one too.
    expect((await runToEnd(app, await aJob(app, await aGraph(app), mapping()))).status).toBe('succeeded');
    expect((await app.admin.get(`/api/ingestion/runs/${runId}`)).body).toMatchObject({ status: 'running', attempt: 1 });
    await app.pool.query(`UPDATE ingestion_runs SET status = 'failed' WHERE id = $1`, [runId]);
  });

  itLong('gives up a run that lost its worker three times', async () => {
    const jobId = await aJob(app, await aGraph(app), mapping());
    const runId = await insertRun(
      jobId,
      'status, attempt, lease_owner, lease_until',
      `'running', 3, '${randomUUID()}', now() - interval '1 second'`,
    );
    expect(await untilStatus(runId, 'failed')).toMatchObject({ error: { code: 'too_many_attempts' } });
  });

  itLong('commits nothing once another worker holds the lease', async () => {
    const graphId = await aGraph(app);
    const jobId = await aJob(app, graphId, mapping());
    // The lock stops the run between staging and writing, like a worker that hangs.
    const blocker = await app.pool.connect();
    await blocker.query('BEGIN');
    await blocker.query(`LOCK TABLE ${graphTables(graphId).nodes} IN SHARE MODE`);
    const { body } = await app.admin.post(`/api/ingestion/jobs/${jobId}/run`).expect(202);
    await untilPhase(body.id, /waiting/);
    const ended = app.app.get(IngestionWorker).untilEnd(body.id, 60_000);
    const other = randomUUID();
    await app.pool.query(`UPDATE ingestion_runs SET lease_owner = $2, lease_until = now() + interval '1 hour' WHERE id = $1`, [
      body.id,
      other,
    ]);
    await blocker.query('COMMIT');
    blocker.release();
    await ended;
    const { rows } = await app.pool.query(
      `SELECT r.status, r.lease_owner, g.version, (SELECT count(*)::int FROM ${graphTables(graphId).nodes}) AS nodes FROM ingestion_runs r, graphs g WHERE r.id = $1 AND g.id = $2`,
      [body.id, graphId],
    );
    expect(rows).toEqual([{ status: 'running', lease_owner: other, version: 0, nodes: 0 }]);
    await app.pool.query(`UPDATE ingestion_runs SET status = 'failed' WHERE id = $1`, [body.id]);
  });

  itLong('tries a run again after its connection to the database was cut', async () => {
    const seconds = slow.replace(' CROSS JOIN numbers d', '');
    const { body } = await app.admin.post(`/api/ingestion/jobs/${await aJob(app, await aGraph(app), seconds)}/run`).expect(202);
    await untilPhase(body.id, /^staging/);
    const cut = async () => {
      const { rowCount } = await asSuperuser(
        app.databaseUrl,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'active' AND query LIKE '%INSERT INTO pg_temp.staging%'`,
      );
      return rowCount;
    };
    while ((await cut()) === 0) await sleep(10);
    const run = await untilStatus(body.id, 'succeeded');
    expect(run.attempt).toBe(2);
  });

  it('puts a run back into the queue when the process stops, for the next one to take', async () => {
    const jobId = await aJob(app, await aGraph(app), slow);
    const { body } = await app.admin.post(`/api/ingestion/jobs/${jobId}/run`).expect(202);
    await untilPhase(body.id, /^staging/);
    const worker = app.app.get(IngestionWorker);
    await worker.beforeApplicationShutdown();
    const { rows } = await app.pool.query('SELECT status, attempt, lease_owner FROM ingestion_runs WHERE id = $1', [body.id]);
    expect(rows).toEqual([{ status: 'queued', attempt: 0, lease_owner: null }]);
    await app.pool.query(`UPDATE ingestion_runs SET status = 'cancelled' WHERE id = $1`, [body.id]);
  });
});
