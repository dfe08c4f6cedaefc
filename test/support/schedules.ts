import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, grantConnection, type TestApp } from './app.js';
import { aGraph, quickMapping, upload, numbersCsv } from './ingestion.js';

export const daily = { cron: '0 3 * * *', timezone: 'Asia/Shanghai' };
export const scheduleOf = (jobId: number) => `/api/ingestion/jobs/${jobId}/schedule`;

/** Jobs with schedules of the user `editor`, who may read the mirror. */
export class ScheduledJobs {
  private constructor(
    private readonly app: TestApp,
    readonly editor: Client,
    readonly editorId: number,
  ) {}

  static async on(app: TestApp): Promise<ScheduledJobs> {
    await upload(app, 'numbers', numbersCsv);
    const editor = await app.asUser('editor');
    await grantConnection(app, 'editor');
    const { rows } = await app.pool.query(`SELECT id FROM users WHERE username = 'editor'`);
    return new ScheduledJobs(app, editor, rows[0].id);
  }

  /** Makes a job of the user `editor` on a graph of the admin, with a schedule that `editor` saved. */
  async aScheduledJob(mapping = quickMapping, schedule: object = daily): Promise<{ graphId: number; jobId: number }> {
    const graphId = await aGraph(this.app);
    await this.app.admin.post(`/api/permissions/graphs/${graphId}/members`).send({ user_id: this.editorId, role: 'editor' }).expect(201);
    const { body } = await this.editor.post('/api/ingestion/jobs').send({ graph_id: graphId, mapping_yaml: mapping }).expect(201);
    await this.editor.put(scheduleOf(body.id)).send(schedule).expect(200);
    return { graphId, jobId: body.id };
  }

  /** Makes jobs whose mapping cannot be parsed, so that each run ends at once. */
  async unreadableJobs(userId: number, count: number): Promise<number[]> {
    const { rows } = await this.app.pool.query(
      `WITH graph AS (INSERT INTO graphs (name, owner_id) VALUES ('图', $1) RETURNING id)
       INSERT INTO ingestion_jobs (graph_id, connection_id, name, mapping_yaml, created_by)
       SELECT id, 1, 'job', 'not a mapping', $1 FROM graph, generate_series(1, $2) RETURNING id`,
      [userId, count],
    );
    return rows.map(({ id }) => id);
  }

  /** Gives each job a schedule that the user saved, due in an hour. */
  async schedule(userId: number, jobIds: number[]): Promise<void> {
    await this.app.pool.query(
      `INSERT INTO schedules (kind, target_id, cron, timezone, enabled, next_at, look_at, saved_by)
       SELECT 'ingestion_job', id, '0 0 1 1 *', 'UTC', true, now() + interval '1 h', now() + interval '1 h', $1 FROM unnest($2::int[]) id`,
      [userId, jobIds],
    );
  }

  /** Makes the schedule due since `secondsAgo` seconds. */
  async makeDue(jobId: number, secondsAgo = 1): Promise<void> {
    await this.app.pool.query(`UPDATE schedules SET next_at = now() - make_interval(secs => $2), look_at = now() WHERE target_id = $1`, [
      jobId,
      secondsAgo,
    ]);
  }

  /** @returns the answer of `GET …/schedule` once it lists that many starts */
  async untilStarts(jobId: number, count = 1): Promise<any> {
    for (const deadline = Date.now() + 20_000; ; await sleep(50)) {
      const { body } = await this.app.admin.get(scheduleOf(jobId)).expect(200);
      if (body.starts.length >= count) return body;
      if (Date.now() > deadline) throw new Error(JSON.stringify(body));
    }
  }

  async untilEnded(jobId: number): Promise<void> {
    const going = `SELECT FROM ingestion_runs WHERE job_id = $1 AND status IN ('queued', 'running')`;
    while ((await this.app.pool.query(going, [jobId])).rowCount! > 0) await sleep(50);
  }

  async runsOf(jobId: number): Promise<any[]> {
    return (await this.app.admin.get(`/api/ingestion/jobs/${jobId}/runs`).expect(200)).body.items;
  }
}
