// The previous release keeps working: it gains an index.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Indexes the start of each user's last run. It decides whose turn it is, and is found without reading all runs. */
export class IndexRunsByRequester1700000000007 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX ingestion_runs_requester ON ingestion_runs (requested_by, started_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX ingestion_runs_requester');
  }
}
