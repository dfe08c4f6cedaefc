import { setTimeout as sleep } from 'node:timers/promises';
import { SchedulesRepository } from '../src/schedules/schedules.repository.js';
import { type Client, grantConnection, startTestApp, type TestApp } from './support/app.js';
import { aGraph, aJob, quickMapping as quick, slowMapping as slow, upload, numbersCsv } from './support/ingestion.js';
import { itLong } from './support/tier.js';

describe('schedules of jobs', () => {
  let app: TestApp;
  let editor: Client;
  let editorId: number;
  beforeAll(async () => {
    app = await startTestApp();
    await upload(app, 'numbers', numbersCsv);
    editor = await app.asUser('editor');
    editorId = (await app.pool.query(`SELECT id FROM users WHERE username = 'editor'`)).rows[0].id;
    await grantConnection(app, 'editor');
  });
  afterEach(() => app.pool.query('DELETE FROM schedules'));
  afterAll(() => app.close());

  const of = (jobId: number) => `/api/ingestion/jobs/${jobId}/schedule`;
  const daily = { cron: '0 3 * * *', timezone: 'Asia/Shanghai' };

  /** A job of the editor on a graph of the admin, with a schedule of the editor. */
  async function aScheduledJob(mapping = quick, schedule: object = daily): Promise<{ graphId: number; jobId: number }> {
    const graphId = await aGraph(app);
    await app.admin.post(`/api/permissions/graphs/${graphId}/members`).send({ user_id: editorId, role: 'editor' }).expect(201);
    const { body } = await editor.post('/api/ingestion/jobs').send({ graph_id: graphId, mapping_yaml: mapping }).expect(201);
    await editor.put(of(body.id)).send(schedule).expect(200);
    return { graphId, jobId: body.id };
  }

  /** Lets the time of the schedule have come so many seconds ago. */
  const makeDue = (jobId: number, secondsAgo = 1) =>
    app.pool.query(`UPDATE schedules SET next_at = now() - make_interval(secs => $2), look_at = now() WHERE target_id = $1`, [
      jobId,
      secondsAgo,
    ]);

  async function untilStarts(jobId: number, count = 1): Promise<any> {
    for (const deadline = Date.now() + 20_000; ; await sleep(50)) {
      const { body } = await app.admin.get(of(jobId)).expect(200);
      if (body.starts.length >= count) return body;
      if (Date.now() > deadline) throw new Error(JSON.stringify(body));
    }
  }
  async function untilEnded(jobId: number): Promise<void> {
    const going = `SELECT FROM ingestion_runs WHERE job_id = $1 AND status IN ('queued', 'running')`;
    while ((await app.pool.query(going, [jobId])).rowCount! > 0) await sleep(50);
  }
  const runsOf = async (jobId: number) => (await app.admin.get(`/api/ingestion/jobs/${jobId}/runs`).expect(200)).body.items;

  it('show the next five times, and go when they are deleted', async () => {
    const jobId = await aJob(app, await aGraph(app), quick);
    await app.admin.get(of(jobId)).expect(404);
    const { body } = await app.admin.put(of(jobId)).send(daily).expect(200);
    expect(body).toMatchObject({ ...daily, enabled: true, paused: null, saved_by: { username: 'admin' }, starts: [] });
    expect(body.next_times).toHaveLength(5);
    expect(body.next_times.every((time: string) => time.endsWith('T19:00:00.000Z'))).toBe(true);
    const off = await app.admin.put(of(jobId)).send({ cron: '*/5 * * * *', enabled: false }).expect(200);
    expect(off.body).toMatchObject({ cron: '*/5 * * * *', timezone: 'UTC', enabled: false, next_times: [] });
    await app.admin.delete(of(jobId)).expect(204);
    await app.admin.delete(of(jobId)).expect(404);
    const { rows } = await app.pool.query(
      `SELECT action, actor, context FROM audit_events WHERE action LIKE 'schedule.%' AND target = 'ingestion_job' AND target_id = $1 ORDER BY id`,
      [jobId],
    );
    expect(rows).toEqual([
      { action: 'schedule.saved', actor: 'admin', context: { ...daily, enabled: true } },
      { action: 'schedule.saved', actor: 'admin', context: { cron: '*/5 * * * *', timezone: 'UTC', enabled: false } },
      { action: 'schedule.deleted', actor: 'admin', context: {} },
    ]);
  });

  it('refuse an expression or a zone that is wrong, with its field and an example', async () => {
    const jobId = await aJob(app, await aGraph(app), quick);
    const { body } = await app.admin.put(of(jobId)).send({ cron: '0 25 * * *', timezone: '+08:00' }).expect(422);
    expect(body.detail.errors.map(({ loc, type }: any) => [loc, type])).toEqual([
      [['body', 'cron'], 'cron'],
      [['body', 'timezone'], 'timezone'],
    ]);
    expect(body.detail.errors[0].msg).toMatch(/第 2 个字段（小时）.*field 2 of the cron expression \(hour\).*"0 3 \* \* \*"/);
  });

  it('start a run in the name of the user who saved them', async () => {
    const { jobId } = await aScheduledJob();
    await makeDue(jobId);
    const { starts, next_times } = await untilStarts(jobId);
    const [run] = await runsOf(jobId);
    expect(run.started_by).toBe('schedule');
    expect((await app.admin.get(`/api/ingestion/runs/${run.id}`).expect(200)).body.started_by).toBe('schedule');
    expect(starts).toEqual([expect.objectContaining({ outcome: 'started', run_id: run.id, missed_since: null, reason: null })]);
    expect(Date.parse(next_times[0])).toBeGreaterThan(Date.now());
    const { rows } = await app.pool.query('SELECT requested_by FROM ingestion_runs WHERE id = $1', [run.id]);
    expect(rows).toEqual([{ requested_by: editorId }]);
    for (let status = ''; status !== 'succeeded'; await sleep(50)) status = (await runsOf(jobId))[0].status;
  });

  it('start at a time that comes by itself', async () => {
    const { jobId } = await aScheduledJob(quick, { cron: '* * * * *' });
    await app.pool.query(`UPDATE schedules SET next_at = now() + interval '2 s', look_at = now() + interval '2 s' WHERE target_id = $1`, [
      jobId,
    ]);
    await sleep(1_200);
    expect((await app.admin.get(of(jobId))).body.starts).toEqual([]);
    const { starts } = await untilStarts(jobId);
    expect(Date.parse(starts[0].at) - Date.parse(starts[0].due_at)).toBeGreaterThanOrEqual(0);
  });

  itLong('skip a time while the last run still goes', async () => {
    const { jobId } = await aScheduledJob(slow);
    await makeDue(jobId);
    const { starts } = await untilStarts(jobId);
    await makeDue(jobId);
    const after = await untilStarts(jobId, 2);
    expect(after.starts[0]).toMatchObject({ outcome: 'skipped', run_id: null, reason: { code: 'run_active' } });
    expect(await runsOf(jobId)).toHaveLength(1);
    await app.admin.post(`/api/ingestion/runs/${starts[0].run_id}/cancel`).expect(202);
  });

  it('make up for all missed times by one start, and for none that is more than six hours old', async () => {
    const { jobId } = await aScheduledJob(quick, { cron: '*/10 * * * *' });
    await makeDue(jobId, 3 * 3_600);
    const { starts } = await untilStarts(jobId);
    expect(starts).toHaveLength(1);
    expect(starts[0]).toMatchObject({ outcome: 'started' });
    expect(Date.parse(starts[0].due_at) - Date.parse(starts[0].missed_since)).toBeGreaterThan(2.8 * 3_600_000);
    expect(Date.now() - Date.parse(starts[0].due_at)).toBeLessThan(11 * 60_000);

    const old = await aScheduledJob(quick, { cron: `0 0 ${new Date(Date.now() - 5 * 86_400_000).getUTCDate()} * *` });
    await makeDue(old.jobId, 6 * 3_600 + 60);
    expect((await untilStarts(old.jobId)).starts).toEqual([
      expect.objectContaining({ outcome: 'missed', run_id: null, reason: expect.objectContaining({ code: 'too_late' }) }),
    ]);
    expect(await runsOf(old.jobId)).toEqual([]);
  });

  itLong.each([
    [
      'is disabled',
      'owner_disabled',
      'UPDATE users SET disabled_at = now() WHERE id = $1',
      'UPDATE users SET disabled_at = NULL WHERE id = $1',
    ],
    [
      'must change the password',
      'owner_password_pending',
      'UPDATE users SET must_change_password = true WHERE id = $1',
      'UPDATE users SET must_change_password = false WHERE id = $1',
    ],
    ['is no editor any more', 'graph_forbidden', `UPDATE graph_members SET role = 'viewer' WHERE user_id = $1`, ''],
    [
      'lost the connection',
      'connection_access_lost',
      'DELETE FROM connection_grants WHERE user_id = $1',
      'INSERT INTO connection_grants (connection_id, user_id, can_write) VALUES (1, $1, false)',
    ],
  ])('do not start while their user %s', async (_, code, change, undo) => {
    const { jobId } = await aScheduledJob();
    await app.pool.query(change, [editorId]);
    try {
      await makeDue(jobId);
      const { starts, enabled } = await untilStarts(jobId);
      expect(starts[0]).toMatchObject({ outcome: 'refused', run_id: null, reason: { code } });
      expect(starts[0].reason.detail).toMatch(/ \/ /);
      expect(enabled).toBe(true);
      expect(await runsOf(jobId)).toEqual([]);
    } finally {
      if (undo !== '') await app.pool.query(undo, [editorId]);
    }
  });

  itLong('pause after five refusals in a row, say why, and go on when they are saved again', async () => {
    const { jobId, graphId } = await aScheduledJob();
    await app.admin.delete(`/api/permissions/graphs/${graphId}/members/${editorId}`).expect(204);
    for (let refusal = 1; refusal <= 5; refusal++) {
      await makeDue(jobId);
      await untilStarts(jobId, refusal);
    }
    const { body } = await app.admin.get(of(jobId)).expect(200);
    expect(body).toMatchObject({ enabled: false, next_times: [], paused: { code: 'paused_after_refusals' } });
    expect(body.paused.detail).toMatch(/5 starts in a row were refused.*You lack access to this graph/);
    const { rows } = await app.pool.query(`SELECT actor, context FROM audit_events WHERE action = 'schedule.paused' AND target_id = $1`, [
      jobId,
    ]);
    expect(rows).toEqual([{ actor: null, context: { reason: 'graph_forbidden' } }]);
    await app.admin.put(of(jobId)).send(daily).expect(200);
    await makeDue(jobId);
    expect((await untilStarts(jobId, 6)).starts[0].outcome).toBe('started');
  });

  /** Jobs of a user that cannot be read, so that a run of them ends at once. */
  async function jobsOf(userId: number, count: number): Promise<number[]> {
    const { rows } = await app.pool.query(
      `WITH graph AS (INSERT INTO graphs (name, owner_id) VALUES ('图', $1) RETURNING id)
       INSERT INTO ingestion_jobs (graph_id, connection_id, name, mapping_yaml, created_by)
       SELECT id, 1, 'job', 'not a mapping', $1 FROM graph, generate_series(1, $2) RETURNING id`,
      [userId, count],
    );
    return rows.map(({ id }) => id);
  }

  /** Schedules of a user that come at another time. */
  const schedule = (userId: number, jobIds: number[]) =>
    app.pool.query(
      `INSERT INTO schedules (kind, target_id, cron, timezone, enabled, next_at, look_at, saved_by)
       SELECT 'ingestion_job', id, '0 0 1 1 *', 'UTC', true, now() + interval '1 h', now() + interval '1 h', $1 FROM unnest($2::int[]) id`,
      [userId, jobIds],
    );

  itLong('start by users in turn, those first for whom least was attended to in the last minute', async () => {
    const { rows: users } = await app.pool.query(
      `INSERT INTO users (username, password_hash, is_admin) SELECT 'turn-' || n, '', true FROM generate_series(1, 3) n RETURNING id`,
    );
    const [busy, many, few] = users.map(({ id }) => id) as [number, number, number];
    const jobs: number[] = [];
    for (const [userId, count] of [
      [busy, 1],
      [many, 3],
      [few, 1],
    ] as const) {
      const ofUser = await jobsOf(userId, count);
      await schedule(userId, ofUser);
      jobs.push(...ofUser);
    }
    await app.pool.query(
      `INSERT INTO schedule_starts (schedule_id, user_id, due_at, outcome) SELECT id, saved_by, now(), 'skipped' FROM schedules WHERE saved_by = $1`,
      [busy],
    );
    // The busy user's has been due for longest, then those of the one with many.
    await app.pool.query(
      `UPDATE schedules SET next_at = now() - interval '9 s', look_at = now() - make_interval(secs => 9 - array_position($1::int[], saved_by))`,
      [[busy, many, few]],
    );
    let started: any[] = [];
    for (const deadline = Date.now() + 20_000; started.length < 5; await sleep(50)) {
      started = (await app.pool.query(`SELECT user_id FROM schedule_starts WHERE outcome = 'started' ORDER BY id`)).rows;
      if (Date.now() > deadline) throw new Error(JSON.stringify(started));
    }
    expect(started.map(({ user_id }) => user_id)).toEqual([many, few, busy, many, many]);
    for (const jobId of jobs) await untilEnded(jobId);
  });

  it('are 200 at most that one user has enabled, and any number that admins have', async () => {
    const [spare, another, own, ...rest] = (await jobsOf(editorId, 202)) as [number, number, number, ...number[]];
    await schedule(editorId, [own, ...rest]);
    await schedule(1, [another]);
    const { body } = await editor.put(of(spare)).send(daily).expect(409);
    expect(body).toMatchObject({ code: 'quota_reached', context: { most: 200 } });
    expect(body.detail).toMatch(/已启用 200 个计划.*MAX_SCHEDULES_PER_USER.*You have 200 schedules enabled/s);
    await editor.put(of(another)).send(daily).expect(409);
    await editor
      .put(of(spare))
      .send({ ...daily, enabled: false })
      .expect(200);
    await editor.put(of(spare)).send(daily).expect(409);
    await editor.put(of(own)).send(daily).expect(200);
    await editor
      .put(of(own))
      .send({ ...daily, enabled: false })
      .expect(200);
    await editor.put(of(spare)).send(daily).expect(200);
    await editor.put(of(own)).send(daily).expect(409);
    await app.admin.put(of(own)).send(daily).expect(200);
    await app.admin.get(of(own)).expect(200);
  });

  itLong('wait together while the queue of their user is full, say so, and cost one look', async () => {
    const first = await aScheduledJob();
    const second = await aScheduledJob();
    const [other] = (await jobsOf(1, 1)) as [number];
    const held = await jobsOf(editorId, 20);
    // A runner sees them as waiting, and no worker claims them in the meantime.
    const blocker = await app.pool.connect();
    const waitingOf = async (jobId: number) => (await app.admin.get(of(jobId)).expect(200)).body.starts;
    const recorded = async () =>
      (await app.pool.query(`SELECT s.target_id FROM schedule_starts t JOIN schedules s ON s.id = t.schedule_id ORDER BY t.id`)).rows.map(
        ({ target_id }) => target_id,
      );
    try {
      await app.pool.query(
        `INSERT INTO ingestion_runs (job_id, requested_by, status, lease_until) SELECT id, $2, 'running', now() + interval '1 h' FROM unnest($1::int[]) id`,
        [held, editorId],
      );
      await blocker.query('BEGIN');
      await blocker.query('SELECT FROM ingestion_runs WHERE job_id = ANY ($1) FOR UPDATE', [held]);
      await blocker.query(`UPDATE ingestion_runs SET status = 'queued', lease_until = NULL WHERE job_id = ANY ($1)`, [held]);
      await blocker.query('COMMIT');
      await blocker.query('BEGIN');
      await blocker.query('SELECT FROM ingestion_runs WHERE job_id = ANY ($1) FOR UPDATE', [held]);
      await makeDue(first.jobId, 20);
      await untilStarts(first.jobId);
      await makeDue(second.jobId, 10);
      const waiting = { outcome: 'waiting', run_id: null, reason: { code: 'too_many_runs_waiting' } };
      expect(await waitingOf(first.jobId)).toMatchObject([waiting]);
      expect(await waitingOf(second.jobId)).toMatchObject([waiting]);
      // Others come past.
      await schedule(1, [other]);
      await makeDue(other);
      await untilStarts(other);
      expect(await recorded()).toEqual([first.jobId, other]);
      // The same time is recorded once.
      await app.pool.query('DELETE FROM schedule_rests');
      for (let rested = 0; rested === 0; await sleep(50)) rested = (await app.pool.query('SELECT FROM schedule_rests')).rowCount!;
      expect(await recorded()).toEqual([first.jobId, other]);
      await blocker.query('DELETE FROM ingestion_runs WHERE job_id = ANY ($1)', [held]);
      await blocker.query('COMMIT');
      await app.pool.query('DELETE FROM schedule_rests');
      const after = await untilStarts(first.jobId, 2);
      expect(after.starts.map(({ outcome }: any) => outcome)).toEqual(['started', 'waiting']);
      expect(after.starts[0].due_at).toBe(after.starts[1].due_at);
      expect((await untilStarts(second.jobId)).starts).toMatchObject([{ outcome: 'started' }]);
      for (const jobId of [first.jobId, second.jobId, other]) await untilEnded(jobId);
    } finally {
      await blocker.query('ROLLBACK');
      blocker.release();
    }
  });

  it('are not brought forward by an attempt that failed after another runner had moved them on', async () => {
    const { jobId } = await aScheduledJob();
    const { rows } = await app.pool.query('SELECT id, look_at FROM schedules WHERE target_id = $1', [jobId]);
    await app.app.get(SchedulesRepository).postpone(app.pool, rows[0].id, 0);
    expect((await app.pool.query('SELECT id, look_at FROM schedules')).rows).toEqual(rows);
  });

  it('keep the last 20 starts', async () => {
    const { jobId } = await aScheduledJob();
    await app.pool.query(
      `INSERT INTO schedule_starts (schedule_id, due_at, outcome) SELECT id, now(), 'skipped' FROM schedules, generate_series(1, 25) WHERE target_id = $1`,
      [jobId],
    );
    await makeDue(jobId);
    for (let last = ''; last !== 'started'; await sleep(50)) last = (await app.admin.get(of(jobId))).body.starts[0].outcome;
    expect((await app.pool.query('SELECT FROM schedule_starts')).rowCount).toBe(20);
  });

  it('go with their graph, and when their job retires', async () => {
    const first = await aScheduledJob();
    await app.admin.delete(`/api/graphs/${first.graphId}`).expect(204);
    const second = await aScheduledJob();
    await app.admin.post(`/api/ingestion/jobs/${second.jobId}/retire`).set('Prefer', 'wait=30').expect(200);
    expect((await app.pool.query('SELECT FROM schedules')).rowCount).toBe(0);
    const { body } = await app.admin.put(of(second.jobId)).send(daily).expect(409);
    expect(body.code).toBe('job_retired');
  });
});

itLong('starts, runs and sends nothing where WORKER=off', async () => {
  const app = await startTestApp({ WORKER: 'off' });
  try {
    await upload(app, 'numbers', 'i\n1\n');
    const jobId = await aJob(app, await aGraph(app), quick);
    await app.admin.put(`/api/ingestion/jobs/${jobId}/schedule`).send({ cron: '* * * * *' }).expect(200);
    await app.pool.query(`UPDATE schedules SET next_at = now() - interval '1 s', look_at = now()`);
    const hooks = `/api/ingestion/jobs/${jobId}/webhooks`;
    const { body: hook } = await app.admin.post(hooks).send({ url: 'http://hooks.invalid/' }).expect(201);
    await app.admin.post(`${hooks}/${hook.id}/test`).expect(202);
    const { body: run } = await app.admin.post(`/api/ingestion/jobs/${jobId}/run`).expect(202);
    await sleep(2_500);
    expect((await app.admin.get(`${hooks}/${hook.id}/deliveries`)).body.items).toMatchObject([{ status: 'pending', attempts: 0 }]);
    expect((await app.admin.get(`/api/ingestion/runs/${run.id}`)).body).toMatchObject({ status: 'queued', attempt: 0 });
    expect((await app.admin.get(`/api/ingestion/jobs/${jobId}/schedule`)).body.starts).toEqual([]);
  } finally {
    await app.close();
  }
});
