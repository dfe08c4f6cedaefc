// The previous release keeps working; runs that it starts may be repeated without work, and it does all work itself.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Adds the wish that a run reads and writes everything, even if nothing has changed since the last one. */
export class LetRunsDoAllWork1700000000026 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE ingestion_runs ADD COLUMN is_full boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE ingestion_runs DROP COLUMN is_full');
  }
}
