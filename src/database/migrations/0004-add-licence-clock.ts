// The previous release keeps working: it does not know this table.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Stores the latest time at which a licence was found good, in one row. A clock behind it was set back. */
export class AddLicenceClock1700000000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE licence_clock (
        id      boolean PRIMARY KEY DEFAULT true CHECK (id),
        seen_at timestamptz NOT NULL
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE licence_clock');
  }
}
