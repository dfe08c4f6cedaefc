// The previous release keeps working; a run that it starts keeps no record of the one before.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Numbers the runs of a copy into the mirror, and adds a record of the earlier ones. */
export class KeepEarlierRunsOfCopies1700000000025 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE mirror_copies ADD run int NOT NULL DEFAULT 1;
      CREATE TABLE mirror_copy_runs (
        copy_id     int NOT NULL REFERENCES mirror_copies (id) ON DELETE CASCADE,
        run         int NOT NULL,
        started_by  text NOT NULL,
        status      text NOT NULL CHECK (status IN ('succeeded', 'failed', 'cancelled')),
        attempt     int NOT NULL,
        report      jsonb NOT NULL,
        error       jsonb,
        queued_at   timestamptz NOT NULL,
        started_at  timestamptz,
        finished_at timestamptz,
        PRIMARY KEY (copy_id, run)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE mirror_copy_runs; ALTER TABLE mirror_copies DROP COLUMN run');
  }
}
