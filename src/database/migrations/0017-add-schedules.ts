// The previous release keeps working and starts nothing by itself.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Adds schedules and the record of their starts. A schedule names what it starts by kind and id; for each kind a generated column
 * refers to the table of that kind, so that the schedule goes with its target.
 */
export class AddSchedules1700000000017 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE schedules (
        id        serial PRIMARY KEY,
        kind      text NOT NULL,
        target_id int NOT NULL,
        job_id    int GENERATED ALWAYS AS (CASE WHEN kind = 'ingestion_job' THEN target_id END) STORED
                  REFERENCES ingestion_jobs (id) ON DELETE CASCADE,
        cron      text NOT NULL,
        timezone  text NOT NULL,
        enabled   boolean NOT NULL,
        -- The next time that has not been dealt with; null while the schedule rests.
        next_at   timestamptz,
        -- When a runner looks at the schedule: at next_at, or later after an attempt that is to be repeated.
        look_at   timestamptz,
        refusals  int NOT NULL DEFAULT 0,
        -- Why the service itself disabled the schedule: {code, zh, en}.
        paused    jsonb,
        saved_by  int REFERENCES users (id) ON DELETE SET NULL,
        saved_at  timestamptz NOT NULL DEFAULT now(),
        UNIQUE (kind, target_id),
        CHECK (enabled = (next_at IS NOT NULL) AND enabled = (look_at IS NOT NULL))
      );
      CREATE INDEX schedules_look ON schedules (look_at) WHERE enabled;
      CREATE INDEX schedules_job ON schedules (job_id);
      CREATE INDEX schedules_saved_by ON schedules (saved_by);

      CREATE TABLE schedule_starts (
        id          bigserial PRIMARY KEY,
        schedule_id int NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
        due_at      timestamptz NOT NULL,
        -- The first of the times that passed unattended, if this start stands for several.
        missed_since timestamptz,
        at          timestamptz NOT NULL DEFAULT clock_timestamp(),
        outcome     text NOT NULL CHECK (outcome IN ('started', 'skipped', 'waiting', 'refused', 'missed')),
        run_id      int,
        reason      jsonb
      );
      CREATE INDEX schedule_starts_schedule ON schedule_starts (schedule_id, id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE schedule_starts; DROP TABLE schedules');
  }
}
