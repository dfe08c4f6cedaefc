// Beside this one the previous release counts the tables that it loads to nobody, or to whoever loaded them before, with their former size.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Counts the bytes of each table of the mirror, and notes who was the last to load it. Tables that are there count for the sum of all only. */
export class CountBytesOfTheMirror1700000000038 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE mirror_tables
        ADD COLUMN loaded_by int REFERENCES users (id) ON DELETE SET NULL,
        ADD COLUMN bytes bigint NOT NULL DEFAULT 0;
      UPDATE mirror_tables t SET bytes = pg_total_relation_size(c.oid)
      FROM pg_class c WHERE c.relnamespace = 'mirror'::regnamespace AND c.relname = t.name;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE mirror_tables DROP COLUMN loaded_by, DROP COLUMN bytes');
  }
}
