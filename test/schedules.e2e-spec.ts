import { setTimeout as sleep } from 'node:timers/promises';
import { SchedulesRepository } from '../src/schedules/schedules.repository.js';
import { startTestApp, type TestApp } from './support/app.js';
import { aGraph, aJob, quickMapping as quick } from './support/ingestion.js';
import { daily, ScheduledJobs, scheduleOf } from './support/schedules.js';

describe('schedules of jobs', () => {
  let app: TestApp;
  let jobs: ScheduledJobs;
  beforeAll(async () => {
    app = await startTestApp();
    jobs = await ScheduledJobs.on(app);
  });
  afterEach(() => app.pool.query('DELETE FROM schedules'));
  afterAll(() => app.close());

  it('show the next five times, and go when they are deleted', async () => {
    const jobId = await aJob(app, await aGraph(app), quick);
    await app.admin.get(scheduleOf(jobId)).expect(404);
    const { body } = await app.admin.put(scheduleOf(jobId)).send(daily).expect(200);
    expect(body).toMatchObject({ ...daily, enabled: true, paused: null, saved_by: { username: 'admin' }, starts: [] });
    expect(body.next_times).toHaveLength(5);
    expect(body.next_times.every((time: string) => time.endsWith('T19:00:00.000Z'))).toBe(true);
    const off = await app.admin.put(scheduleOf(jobId)).send({ cron: '*/5 * * * *', enabled: false }).expect(200);
    expect(off.body).toMatchObject({ cron: '*/5 * * * *', timezone: 'UTC', enabled: false, next_times: [] });
    await app.admin.delete(scheduleOf(jobId)).expect(204);
    await app.admin.delete(scheduleOf(jobId)).expect(404);
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
    const { body } = await app.admin.put(scheduleOf(jobId)).send({ cron: '0 25 * * *', timezone: '+08:00' }).expect(422);
    expect(body.detail.errors.map(({ loc, type }: any) => [loc, type])).toEqual([
      [['body', 'cron'], 'cron'],
      [['body', 'timezone'], 'timezone'],
    ]);
    expect(body.detail.errors[0].msg).toMatch(/第 2 个字段（小时）.*field 2 of the cron expression \(hour\).*"0 3 \* \* \*"/);
  });

  it('start a run in the name of the user who saved them', async () => {
    const { jobId } = await jobs.aScheduledJob();
    await jobs.makeDue(jobId);
    const { starts, next_times } = await jobs.untilStarts(jobId);
    const [run] = await jobs.runsOf(jobId);
    expect(run.started_by).toBe('schedule');
    expect((await app.admin.get(`/api/ingestion/runs/${run.id}`).expect(200)).body.started_by).toBe('schedule');
    expect(starts).toEqual([expect.objectContaining({ outcome: 'started', run_id: run.id, missed_since: null, reason: null })]);
    expect(Date.parse(next_times[0])).toBeGreaterThan(Date.now());
    const { rows } = await app.pool.query('SELECT requested_by FROM ingestion_runs WHERE id = $1', [run.id]);
    expect(rows).toEqual([{ requested_by: jobs.editorId }]);
    for (let status = ''; status !== 'succeeded'; await sleep(50)) status = (await jobs.runsOf(jobId))[0].status;
  });

  it('start at a time that comes by itself', async () => {
    const { jobId } = await jobs.aScheduledJob();
    const { rows } = await app.pool.query(
      `UPDATE schedules SET next_at = now() + interval '2 s', look_at = now() + interval '2 s' WHERE target_id = $1 RETURNING next_at`,
      [jobId],
    );
    const due = rows[0].next_at as Date;
    const { starts } = await jobs.untilStarts(jobId);
    expect(starts).toEqual([expect.objectContaining({ outcome: 'started', due_at: due.toISOString(), missed_since: null })]);
    expect(Date.parse(starts[0].at)).toBeGreaterThanOrEqual(due.getTime());
  });

  it('make up for all missed times by one start, and for none that is more than six hours old', async () => {
    const { jobId } = await jobs.aScheduledJob(quick, { cron: '*/10 * * * *' });
    await jobs.makeDue(jobId, 3 * 3_600);
    const { starts } = await jobs.untilStarts(jobId);
    expect(starts).toHaveLength(1);
    expect(starts[0]).toMatchObject({ outcome: 'started' });
    expect(Date.parse(starts[0].due_at) - Date.parse(starts[0].missed_since)).toBeGreaterThan(2.8 * 3_600_000);
    expect(Date.now() - Date.parse(starts[0].due_at)).toBeLessThan(11 * 60_000);

    const old = await jobs.aScheduledJob(quick, { cron: `0 0 ${new Date(Date.now() - 5 * 86_400_000).getUTCDate()} * *` });
    await jobs.makeDue(old.jobId, 6 * 3_600 + 60);
    expect((await jobs.untilStarts(old.jobId)).starts).toEqual([
      expect.objectContaining({ outcome: 'missed', run_id: null, reason: expect.objectContaining({ code: 'too_late' }) }),
    ]);
    expect(await jobs.runsOf(old.jobId)).toEqual([]);
  });

  it('are 200 at most that one user has enabled, and any number that admins have', async () => {
    const [spare, another, own, ...rest] = (await jobs.unreadableJobs(jobs.editorId, 202)) as [number, number, number, ...number[]];
    await jobs.schedule(jobs.editorId, [own, ...rest]);
    await jobs.schedule(1, [another]);
    const { body } = await jobs.editor.put(scheduleOf(spare)).send(daily).expect(409);
    expect(body).toMatchObject({ code: 'quota_reached', context: { most: 200 } });
    expect(body.detail).toMatch(/已启用 200 个计划.*MAX_SCHEDULES_PER_USER.*You have 200 schedules enabled/s);
    await jobs.editor.put(scheduleOf(another)).send(daily).expect(409);
    await jobs.editor
      .put(scheduleOf(spare))
      .send({ ...daily, enabled: false })
      .expect(200);
    await jobs.editor.put(scheduleOf(spare)).send(daily).expect(409);
    await jobs.editor.put(scheduleOf(own)).send(daily).expect(200);
    await jobs.editor
      .put(scheduleOf(own))
      .send({ ...daily, enabled: false })
      .expect(200);
    await jobs.editor.put(scheduleOf(spare)).send(daily).expect(200);
    await jobs.editor.put(scheduleOf(own)).send(daily).expect(409);
    await app.admin.put(scheduleOf(own)).send(daily).expect(200);
    await app.admin.get(scheduleOf(own)).expect(200);
  });

  it('are not brought forward by an attempt that failed after another runner had moved them on', async () => {
    const { jobId } = await jobs.aScheduledJob();
    const { rows } = await app.pool.query('SELECT id, look_at FROM schedules WHERE target_id = $1', [jobId]);
    await app.app.get(SchedulesRepository).postpone(app.pool, rows[0].id, 0);
    expect((await app.pool.query('SELECT id, look_at FROM schedules')).rows).toEqual(rows);
  });

  it('keep the last 20 starts', async () => {
    const { jobId } = await jobs.aScheduledJob();
    await app.pool.query(
      `INSERT INTO schedule_starts (schedule_id, due_at, outcome) SELECT id, now(), 'skipped' FROM schedules, generate_series(1, 25) WHERE target_id = $1`,
      [jobId],
    );
    await jobs.makeDue(jobId);
    for (let last = ''; last !== 'started'; await sleep(50)) last = (await app.admin.get(scheduleOf(jobId))).body.starts[0].outcome;
    expect((await app.pool.query('SELECT FROM schedule_starts')).rowCount).toBe(20);
  });

  it('go with their graph, and when their job retires', async () => {
    const first = await jobs.aScheduledJob();
    await app.admin.delete(`/api/graphs/${first.graphId}`).expect(204);
    const second = await jobs.aScheduledJob();
    await app.admin.post(`/api/ingestion/jobs/${second.jobId}/retire`).set('Prefer', 'wait=30').expect(200);
    expect((await app.pool.query('SELECT FROM schedules')).rowCount).toBe(0);
    const { body } = await app.admin.put(scheduleOf(second.jobId)).send(daily).expect(409);
    expect(body.code).toBe('job_retired');
  });
});
