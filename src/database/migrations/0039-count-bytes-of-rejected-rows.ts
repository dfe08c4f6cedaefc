// Beside this one the previous release keeps rejected rows without counting their bytes.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Counts the bytes of the rejected rows that a run left, so that a user has a bound. Rows kept before this migration count for nothing. */
export class CountBytesOfRejectedRows1700000000039 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE ingestion_runs ADD COLUMN rejected_bytes bigint NOT NULL DEFAULT 0;
      CREATE INDEX ingestion_runs_with_rejected_rows ON ingestion_runs (job_id) WHERE rejected_bytes > 0;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE ingestion_runs DROP COLUMN rejected_bytes');
  }
}
