import { setTimeout as sleep } from 'node:timers/promises';
import { startTestApp, type TestApp } from './support/app.js';
import { aGraph, aJob, quickMapping as quick, slowMapping as slow, upload } from './support/ingestion.js';
import { daily, ScheduledJobs, scheduleOf } from './support/schedules.js';

describe('schedules that start nothing', () => {
  let app: TestApp;
  let jobs: ScheduledJobs;
  beforeAll(async () => {
    app = await startTestApp();
    jobs = await ScheduledJobs.on(app);
  });
  afterEach(() => app.pool.query('DELETE FROM schedules'));
  afterAll(() => app.close());

  it('skip a time while the last run still goes', async () => {
    const { jobId } = await jobs.aScheduledJob(slow);
    await jobs.makeDue(jobId);
    const { starts } = await jobs.untilStarts(jobId);
    await jobs.makeDue(jobId);
    const after = await jobs.untilStarts(jobId, 2);
    expect(after.starts[0]).toMatchObject({ outcome: 'skipped', run_id: null, reason: { code: 'run_active' } });
    expect(await jobs.runsOf(jobId)).toHaveLength(1);
    await app.admin.post(`/api/ingestion/runs/${starts[0].run_id}/cancel`).expect(202);
  });

  it.each([
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
    ['is no longer an editor', 'graph_forbidden', `UPDATE graph_members SET role = 'viewer' WHERE user_id = $1`, ''],
    [
      'lost the connection',
      'connection_access_lost',
      'DELETE FROM connection_grants WHERE user_id = $1',
      'INSERT INTO connection_grants (connection_id, user_id, can_write) VALUES (1, $1, false)',
    ],
  ])('do not start while their user %s', async (_, code, change, undo) => {
    const { jobId } = await jobs.aScheduledJob();
    await app.pool.query(change, [jobs.editorId]);
    try {
      await jobs.makeDue(jobId);
      const { starts, enabled } = await jobs.untilStarts(jobId);
      expect(starts[0]).toMatchObject({ outcome: 'refused', run_id: null, reason: { code } });
      expect(starts[0].reason.detail).toMatch(/ \/ /);
      expect(enabled).toBe(true);
      expect(await jobs.runsOf(jobId)).toEqual([]);
    } finally {
      if (undo !== '') await app.pool.query(undo, [jobs.editorId]);
    }
  });

  it('pause after five refusals in a row, say why, and go on when they are saved again', async () => {
    const { jobId, graphId } = await jobs.aScheduledJob();
    await app.admin.delete(`/api/permissions/graphs/${graphId}/members/${jobs.editorId}`).expect(204);
    for (let refusal = 1; refusal <= 5; refusal++) {
      await jobs.makeDue(jobId);
      await jobs.untilStarts(jobId, refusal);
    }
    const { body } = await app.admin.get(scheduleOf(jobId)).expect(200);
    expect(body).toMatchObject({ enabled: false, next_times: [], paused: { code: 'paused_after_refusals' } });
    expect(body.paused.detail).toMatch(/5 starts in a row were refused.*You lack access to this graph/);
    const { rows } = await app.pool.query(`SELECT actor, context FROM audit_events WHERE action = 'schedule.paused' AND target_id = $1`, [
      jobId,
    ]);
    expect(rows).toEqual([{ actor: null, context: { reason: 'graph_forbidden' } }]);
    await app.admin.put(scheduleOf(jobId)).send(daily).expect(200);
    await jobs.makeDue(jobId);
    expect((await jobs.untilStarts(jobId, 6)).starts[0].outcome).toBe('started');
  });
});

it('starts, runs and sends nothing where WORKER=off', async () => {
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
