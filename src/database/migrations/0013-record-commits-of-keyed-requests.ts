// The previous release keeps working. Its own requests do not record their commits, so a lost answer of its may be repeated.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Adds whether a transaction of the request was committed, which the transaction itself records, and how long the request may be under
 * way. A row that is committed and has no status after that time is a request whose answer is lost.
 */
export class RecordCommitsOfKeyedRequests1700000000013 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE idempotency_keys
        ADD COLUMN committed boolean NOT NULL DEFAULT false,
        ADD COLUMN under_way_until timestamptz;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotency_keys DROP COLUMN committed, DROP COLUMN under_way_until');
  }
}
