import { setTimeout as sleep } from 'node:timers/promises';
import { startTestApp, type TestApp } from './support/app.js';
import { ScheduledJobs, scheduleOf } from './support/schedules.js';

describe('schedules of several users', () => {
  let app: TestApp;
  let jobs: ScheduledJobs;
  beforeAll(async () => {
    app = await startTestApp();
    jobs = await ScheduledJobs.on(app);
  });
  afterEach(() => app.pool.query('DELETE FROM schedules'));
  afterAll(() => app.close());

  it('start by users in turn, those first for whom least was attended to in the last minute', async () => {
    const { rows: users } = await app.pool.query(
      `INSERT INTO users (username, password_hash, is_admin) SELECT 'turn-' || n, '', true FROM generate_series(1, 3) n RETURNING id`,
    );
    const [busy, many, few] = users.map(({ id }) => id) as [number, number, number];
    const all: number[] = [];
    for (const [userId, count] of [
      [busy, 1],
      [many, 3],
      [few, 1],
    ] as const) {
      const ofUser = await jobs.unreadableJobs(userId, count);
      await jobs.schedule(userId, ofUser);
      all.push(...ofUser);
    }
    await app.pool.query(
      `INSERT INTO schedule_starts (schedule_id, user_id, due_at, outcome) SELECT id, saved_by, now(), 'skipped' FROM schedules WHERE saved_by = $1`,
      [busy],
    );
    // The schedule of `busy` has been due longest, then those of `many`, then that of `few`.
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
    for (const jobId of all) await jobs.untilEnded(jobId);
  });

  it('wait together while the queue of their user is full, say so, and cost one look', async () => {
    const first = await jobs.aScheduledJob();
    const second = await jobs.aScheduledJob();
    const [other] = (await jobs.unreadableJobs(1, 1)) as [number];
    const held = await jobs.unreadableJobs(jobs.editorId, 20);
    // The runs are queued and locked: a runner of schedules sees them as waiting, and no worker can claim them meanwhile.
    const blocker = await app.pool.connect();
    const waitingOf = async (jobId: number) => (await app.admin.get(scheduleOf(jobId)).expect(200)).body.starts;
    const recorded = async () =>
      (await app.pool.query(`SELECT s.target_id FROM schedule_starts t JOIN schedules s ON s.id = t.schedule_id ORDER BY t.id`)).rows.map(
        ({ target_id }) => target_id,
      );
    try {
      await app.pool.query(
        `INSERT INTO ingestion_runs (job_id, requested_by, status, lease_until) SELECT id, $2, 'running', now() + interval '1 h' FROM unnest($1::int[]) id`,
        [held, jobs.editorId],
      );
      await blocker.query('BEGIN');
      await blocker.query('SELECT FROM ingestion_runs WHERE job_id = ANY ($1) FOR UPDATE', [held]);
      await blocker.query(`UPDATE ingestion_runs SET status = 'queued', lease_until = NULL WHERE job_id = ANY ($1)`, [held]);
      await blocker.query('COMMIT');
      await blocker.query('BEGIN');
      await blocker.query('SELECT FROM ingestion_runs WHERE job_id = ANY ($1) FOR UPDATE', [held]);
      await jobs.makeDue(first.jobId, 20);
      await jobs.untilStarts(first.jobId);
      await jobs.makeDue(second.jobId, 10);
      const waiting = { outcome: 'waiting', run_id: null, reason: { code: 'too_many_runs_waiting' } };
      expect(await waitingOf(first.jobId)).toMatchObject([waiting]);
      expect(await waitingOf(second.jobId)).toMatchObject([waiting]);
      // Schedules of another user start meanwhile.
      await jobs.schedule(1, [other]);
      await jobs.makeDue(other);
      await jobs.untilStarts(other);
      expect(await recorded()).toEqual([first.jobId, other]);
      // When the rest is over, the same due time is looked at again, but not recorded a second time.
      await app.pool.query('DELETE FROM schedule_rests');
      for (let rested = 0; rested === 0; await sleep(50)) rested = (await app.pool.query('SELECT FROM schedule_rests')).rowCount!;
      expect(await recorded()).toEqual([first.jobId, other]);
      await blocker.query('DELETE FROM ingestion_runs WHERE job_id = ANY ($1)', [held]);
      await blocker.query('COMMIT');
      await app.pool.query('DELETE FROM schedule_rests');
      const after = await jobs.untilStarts(first.jobId, 2);
      expect(after.starts.map(({ outcome }: any) => outcome)).toEqual(['started', 'waiting']);
      expect(after.starts[0].due_at).toBe(after.starts[1].due_at);
      expect((await jobs.untilStarts(second.jobId)).starts).toMatchObject([{ outcome: 'started' }]);
      for (const jobId of [first.jobId, second.jobId, other]) await jobs.untilEnded(jobId);
    } finally {
      await blocker.query('ROLLBACK');
      blocker.release();
    }
  });
});
