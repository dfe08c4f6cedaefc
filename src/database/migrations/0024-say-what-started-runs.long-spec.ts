import pg from 'pg';
import { DataSource } from 'typeorm';
import { emptyDatabase } from '../../../test/support/database.js';
import { migrations } from './migrations.js';
import { SayWhatStartedRuns1700000000024 } from './0024-say-what-started-runs.js';

it('tells the runs that schedules of jobs have started from those of users', async () => {
  const database = await emptyDatabase();
  const earlier = migrations.filter(migration => migration !== SayWhatStartedRuns1700000000024);
  const before = await new DataSource({ type: 'postgres', url: database.url, migrations: earlier }).initialize();
  const client = new pg.Client(database.url);
  try {
    await before.runMigrations({ transaction: 'each' });
    await client.connect();
    await client.query(`
      INSERT INTO users (username, password_hash) VALUES ('u', '');
      INSERT INTO graphs (name, owner_id) SELECT 'g', id FROM users;
      INSERT INTO ingestion_jobs (graph_id, name, mapping_yaml) SELECT id, 'j', '' FROM graphs;
      INSERT INTO ingestion_runs (job_id, status) SELECT id, 'succeeded' FROM ingestion_jobs, generate_series(1, 2);
      INSERT INTO schedules (kind, target_id, cron, timezone, enabled) SELECT 'ingestion_job', id, '0 3 * * *', 'UTC', false FROM ingestion_jobs;
      INSERT INTO schedule_starts (schedule_id, due_at, outcome, run_id) SELECT id, now(), 'started', 2 FROM schedules`);
    const now = await new DataSource({ type: 'postgres', url: database.url, migrations }).initialize();
    try {
      expect(await now.runMigrations({ transaction: 'each' })).toMatchObject([{ name: 'SayWhatStartedRuns1700000000024' }]);
    } finally {
      await now.destroy();
    }
    expect((await client.query('SELECT id, started_by FROM ingestion_runs ORDER BY id')).rows).toEqual([
      { id: 1, started_by: 'user' },
      { id: 2, started_by: 'schedule' },
    ]);
  } finally {
    await before.destroy();
    await client.end();
    await database.drop();
  }
});
