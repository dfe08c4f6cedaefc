import { setTimeout as sleep } from 'node:timers/promises';
import { LimiterService } from '../src/limits/limiter.service.js';
import { startTestApp, type TestApp } from './support/app.js';

const mostLateMs = 2_000;

/** Delays are computed from times that the database stored, not from the clock of the test. */
describe('2,500 schedules of one user', () => {
  let app: TestApp;
  let noisy: number;
  let neighbour: number;
  beforeAll(async () => {
    app = await startTestApp({ RATE_LIMIT_SCALE: '1' });
    const { rows } = await app.pool.query(
      // The users are admins, because an admin may read every connection.
      `INSERT INTO users (username, password_hash, is_admin) VALUES ('noisy', '', true), ('neighbour', '', true) RETURNING id`,
    );
    [noisy, neighbour] = rows.map(({ id }) => id) as [number, number];
    for (const [userId, count] of [
      [noisy, 2_500],
      [neighbour, 1],
    ])
      await app.pool.query(
        `WITH graph AS (INSERT INTO graphs (name, owner_id) VALUES ('g', $1) RETURNING id),
              jobs AS (INSERT INTO ingestion_jobs (graph_id, connection_id, name, mapping_yaml, created_by)
                       SELECT id, 1, 'j', 'not a mapping, so that each run ends at once', $1 FROM graph, generate_series(1, $2) RETURNING id)
         INSERT INTO schedules (kind, target_id, cron, timezone, enabled, next_at, look_at, saved_by)
         SELECT 'ingestion_job', id, '0 0 1 1 *', 'UTC', true, now() + interval '1 day', now() + interval '1 day', $1 FROM jobs`,
        [userId, count],
      );
  }, 60_000);
  afterAll(() => app.close());

  const count = async (condition: string, values: unknown[] = []) =>
    (await app.pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM schedule_starts WHERE ${condition}`, values)).rows[0]!.n;

  /** Makes all schedules due in one second, and waits for the start of the neighbour's. @returns its delay in milliseconds */
  async function aRound(): Promise<number> {
    const before = await count('user_id = $1', [neighbour]);
    await app.pool.query(`UPDATE schedules SET enabled = true, next_at = now() + interval '1 s', look_at = now() + interval '1 s'`);
    while ((await count('user_id = $1', [neighbour])) === before) await sleep(20);
    const { rows } = await app.pool.query(
      `SELECT outcome, extract(epoch FROM at - due_at)::float8 * 1000 AS late FROM schedule_starts WHERE user_id = $1 ORDER BY id DESC LIMIT 1`,
      [neighbour],
    );
    expect(rows[0].outcome).toBe('started');
    return rows[0].late;
  }

  const neighboursRun = async () => {
    const going = `SELECT FROM ingestion_runs WHERE requested_by = $1 AND status IN ('queued', 'running')`;
    while ((await app.pool.query(going, [neighbour])).rowCount! > 0) await sleep(20);
  };

  it('take RATE_LIMIT_RUN starts of a minute, and hold up nobody', async () => {
    for (let round = 1; round <= 3; round++) {
      expect(await aRound()).toBeLessThan(mostLateMs);
      await neighboursRun();
    }
    // The noisy user's schedules pause while the run queue is full, and then go on until the limit per minute is reached.
    const untilLimited = async () =>
      (await app.pool.query(`SELECT FROM schedule_rests WHERE reason ->> 'code' = 'too_many_starts'`)).rowCount === 1;
    while (!(await untilLimited())) await sleep(50);
    const { rows } = await app.pool.query(
      `SELECT max((SELECT count(*) FROM schedule_starts b WHERE b.user_id = a.user_id AND b.outcome = 'started'
                   AND b.at BETWEEN a.at AND a.at + interval '59 s'))::int AS most
       FROM schedule_starts a WHERE a.user_id = $1 AND a.outcome = 'started'`,
      [noisy],
    );
    expect(rows).toEqual([{ most: 30 }]);
    expect(await count(`user_id = $1 AND outcome = 'started' AND run_id NOT IN (SELECT id FROM ingestion_runs)`, [noisy])).toBe(0);
    expect((await app.pool.query(`SELECT FROM ingestion_runs WHERE requested_by = $1`, [noisy])).rowCount).toBe(30);
    // The limit is shared with runs that the user starts by hand, so no start is left for those.
    const limits = await app.app.get(LimiterService).look({ userId: noisy, subject: `user:${noisy}` });
    expect(limits.find(({ name }) => name === 'run')).toEqual({ name: 'run', limit: 30, left: 0 });
    // A schedule without a recorded start also shows why it waits.
    const { rows: shown } = await app.pool.query(
      `SELECT target_id FROM schedules WHERE saved_by = $1 AND id NOT IN (SELECT schedule_id FROM schedule_starts) LIMIT 1`,
      [noisy],
    );
    const { body } = await app.admin.get(`/api/ingestion/jobs/${shown[0].target_id}/schedule`).expect(200);
    expect(body.starts).toMatchObject([{ outcome: 'waiting', run_id: null, reason: { code: 'too_many_starts' } }]);
  }, 120_000);

  it('hold up nobody while the last runs of all of them go on', async () => {
    await app.pool.query('DELETE FROM schedule_rests');
    await app.pool.query(
      `INSERT INTO ingestion_runs (job_id, requested_by, status, lease_until)
       SELECT target_id, saved_by, 'running', now() + interval '1 h' FROM schedules
       WHERE saved_by = $1 AND target_id NOT IN (SELECT job_id FROM ingestion_runs WHERE status IN ('queued', 'running'))`,
      [noisy],
    );
    for (let round = 1; round <= 3; round++) {
      expect(await aRound()).toBeLessThan(mostLateMs);
      await neighboursRun();
    }
    expect(await count(`user_id = $1 AND outcome = 'skipped'`, [noisy])).toBeGreaterThan(0);
    await app.pool.query(`UPDATE ingestion_runs SET status = 'cancelled', finished_at = now() WHERE status = 'running'`);
  }, 120_000);
});
