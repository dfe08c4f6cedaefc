// The previous release keeps working; what it starts counts as started by a user.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Keeps whether a user or a schedule started a run. */
export class SayWhatStartedRuns1700000000024 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE ingestion_runs ADD started_by text NOT NULL DEFAULT 'user' CHECK (started_by IN ('user', 'schedule'));
      ALTER TABLE mirror_copies ADD started_by text NOT NULL DEFAULT 'user' CHECK (started_by IN ('user', 'schedule'));
      UPDATE ingestion_runs SET started_by = 'schedule'
      WHERE id IN (SELECT start.run_id FROM schedule_starts start JOIN schedules s ON s.id = start.schedule_id WHERE s.kind = 'ingestion_job');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE ingestion_runs DROP COLUMN started_by; ALTER TABLE mirror_copies DROP COLUMN started_by');
  }
}
