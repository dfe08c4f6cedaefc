// The previous release keeps working: it does not know this table.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Stores the requests of the last minute for each limit. The table is unlogged: a server that crashes forgets them, and no writer
 * waits for the disk. It has no index but the key, and half of each page is free, so that a changed row stays on its page and
 * touches no index.
 */
export class AddRateLimitHits1700000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE UNLOGGED TABLE rate_limit_hits (
        key        bytea PRIMARY KEY,
        hits       timestamptz[] NOT NULL,
        admitted   boolean NOT NULL,
        decided_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL
      ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
      ALTER TABLE rate_limit_hits ALTER COLUMN hits SET STORAGE MAIN;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE rate_limit_hits');
  }
}
