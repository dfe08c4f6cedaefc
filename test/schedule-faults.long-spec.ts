import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { cloneDatabase, type TestDatabase } from './support/database.js';
import { mulberry32 } from './support/seeded.js';
import { firstToken, ServiceProcess } from './support/service-process.js';

const schedules = 15;
const rounds = 4;

describe('schedules on several processes with one database', () => {
  let database: TestDatabase;
  let services: ServiceProcess[];
  let client: pg.Client;
  const random = mulberry32(17);
  const environment = () => ({
    DATABASE_URL: database.url,
    JWT_SECRET_KEY: 'b3f1c7a9d2e84f6a90c1b2d3e4f5a6b7c8d9e0f1a2b3c4d5',
    RETRIEVAL_URL: 'http://127.0.0.1:9',
    LOG_LEVEL: 'error',
  });
  beforeAll(async () => {
    database = await cloneDatabase();
    client = new pg.Client(database.url);
    await client.connect();
    services = [
      await ServiceProcess.start({ environment: environment() }),
      await ServiceProcess.start({ environment: { ...environment(), WORKER: 'only' } }),
    ];
    await firstToken(services[0]!.url);
    await client.query(`
      INSERT INTO graphs (name, owner_id) SELECT 'g', id FROM users WHERE username = 'admin';
      INSERT INTO ingestion_jobs (graph_id, connection_id, name, mapping_yaml, created_by)
      SELECT 1, 1, 'j' || n, 'not a mapping, so that each run ends at once', owner_id FROM graphs, generate_series(1, ${schedules}) n;
      INSERT INTO schedules (kind, target_id, cron, timezone, enabled, next_at, look_at, saved_by)
      SELECT 'ingestion_job', j.id, '0 0 1 1 *', 'UTC', true, now() + interval '1 h', now() + interval '1 h', j.created_by FROM ingestion_jobs j;
      -- Leaves time to die between the claim of a schedule and the end of its transaction.
      CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.05); RETURN new; END $$;
      CREATE TRIGGER slow AFTER INSERT ON ingestion_runs FOR EACH ROW EXECUTE FUNCTION slowly()`);
  });
  afterAll(async () => {
    for (const service of services ?? []) await service.kill();
    await client?.end();
    await database?.drop();
  });

  const rows = async (sql: string): Promise<any[]> => (await client.query(sql)).rows;

  it('start each time once, while one of the processes is killed again and again', async () => {
    for (let round = 1; round <= rounds; round++) {
      while ((await rows(`SELECT FROM ingestion_runs WHERE status IN ('queued', 'running')`)).length > 0) await sleep(100);
      await client.query(`UPDATE schedules SET next_at = date_trunc('second', now()), look_at = now()`);
      const victim = round % 2;
      await sleep(200 + random() * 1_500);
      services[victim]!.child.kill('SIGKILL');
      await services[victim]!.ended;
      for (
        const deadline = Date.now() + 30_000;
        (await rows('SELECT FROM schedules WHERE look_at <= now()')).length > 0;
        await sleep(100)
      ) {
        if (Date.now() > deadline) throw new Error('Schedules are due and nobody attends to them');
      }
      services[victim] = await ServiceProcess.start({
        environment: { ...environment(), ...(victim === 1 ? { WORKER: 'only' } : {}) },
      });
    }
    expect(await rows(`SELECT outcome, count(*)::int AS n FROM schedule_starts GROUP BY 1`)).toEqual([
      { outcome: 'started', n: schedules * rounds },
    ]);
    expect(await rows('SELECT count(*)::int AS n FROM (SELECT DISTINCT schedule_id, due_at FROM schedule_starts) times')).toEqual([
      { n: schedules * rounds },
    ]);
    expect(
      await rows(
        `SELECT count(*)::int AS runs, count(DISTINCT s.run_id)::int AS started FROM ingestion_runs r FULL JOIN schedule_starts s ON s.run_id = r.id`,
      ),
    ).toEqual([{ runs: schedules * rounds, started: schedules * rounds }]);
  }, 300_000);
});
