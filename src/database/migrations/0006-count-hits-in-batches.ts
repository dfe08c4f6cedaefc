// The previous release keeps working and counts in the same rows. It writes `admitted`, which this release leaves to its default.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Lets one statement decide several requests of a key. `allowed` passes the limit to the row, and `taken` returns how many of the
 * requests were admitted.
 */
export class CountHitsInBatches1700000000006 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE rate_limit_hits
        ADD COLUMN allowed int NOT NULL DEFAULT 0,
        ADD COLUMN taken int NOT NULL DEFAULT 0,
        ALTER COLUMN admitted SET DEFAULT true;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE rate_limit_hits
        DROP COLUMN allowed,
        DROP COLUMN taken,
        ALTER COLUMN admitted DROP DEFAULT;
    `);
  }
}
