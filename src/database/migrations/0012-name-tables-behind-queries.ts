// The previous release keeps working. What it loads from a query names no tables until a run of this release.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Adds the tables that the query of a mapping reads. NULL for an element mapped from a table, and for runs of earlier releases. */
export class NameTablesBehindQueries1700000000012 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE graph_elements ADD COLUMN query_tables text[]');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE graph_elements DROP COLUMN query_tables');
  }
}
