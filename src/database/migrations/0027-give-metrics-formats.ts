// The previous release keeps working: it leaves the column alone.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Adds how the values of a metric are rounded. */
export class GiveMetricsFormats1700000000027 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE metrics ADD COLUMN format text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE metrics DROP COLUMN format');
  }
}
