// The previous release keeps working: it checks no watches, and sends their messages without asking again for the right of their user.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Adds watches of metrics. Their schedules and webhooks go with them. */
export class WatchMetrics1700000000028 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE metric_watches (
        id          serial PRIMARY KEY,
        metric_id   int NOT NULL REFERENCES metrics (id) ON DELETE CASCADE,
        -- Which rows of the metric are looked at, as a request to execute it has it.
        request     jsonb NOT NULL,
        condition   jsonb NOT NULL,
        notify      text NOT NULL CHECK (notify IN ('change', 'always')),
        saved_by    int REFERENCES users (id) ON DELETE SET NULL,
        created_at  timestamptz NOT NULL DEFAULT now(),
        -- The check that waits or goes on.
        status      text NOT NULL DEFAULT 'idle' CHECK (status IN ('idle', 'queued', 'running')),
        attempt     int NOT NULL DEFAULT 0,
        queued_at   timestamptz,
        started_at  timestamptz,
        lease_owner uuid,
        lease_until timestamptz,
        -- What the last check found. A check that fails leaves what held before.
        checked_at  timestamptz,
        held        boolean,
        result      jsonb,
        error       jsonb,
        failures    int NOT NULL DEFAULT 0
      );
      CREATE INDEX metric_watches_metric ON metric_watches (metric_id);
      CREATE INDEX metric_watches_saved_by ON metric_watches (saved_by, started_at);
      CREATE INDEX metric_watches_active ON metric_watches (queued_at) WHERE status <> 'idle';
      ALTER TABLE schedules
        ADD metric_watch_id int GENERATED ALWAYS AS (CASE WHEN kind = 'metric_watch' THEN target_id END) STORED
            REFERENCES metric_watches (id) ON DELETE CASCADE;
      CREATE INDEX schedules_metric_watch ON schedules (metric_watch_id);
      ALTER TABLE webhooks
        ADD metric_watch_id int GENERATED ALWAYS AS (CASE WHEN kind = 'metric_watch' THEN target_id END) STORED
            REFERENCES metric_watches (id) ON DELETE CASCADE;
      CREATE INDEX webhooks_metric_watch ON webhooks (metric_watch_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM schedules WHERE kind = 'metric_watch';
      DELETE FROM webhooks WHERE kind = 'metric_watch';
      ALTER TABLE schedules DROP COLUMN metric_watch_id;
      ALTER TABLE webhooks DROP COLUMN metric_watch_id;
      DROP TABLE metric_watches;
    `);
  }
}
