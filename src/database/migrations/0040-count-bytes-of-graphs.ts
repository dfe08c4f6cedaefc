// Beside this one the previous release writes to graphs without counting their bytes.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Counts the bytes of the tables of each graph, so that a user has a bound. */
export class CountBytesOfGraphs1700000000040 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE graphs ADD COLUMN bytes bigint NOT NULL DEFAULT 0;
      UPDATE graphs g SET bytes = sizes.bytes
      FROM (
        SELECT substring(relname FROM '\\d+$') AS id, sum(pg_total_relation_size(oid)) AS bytes
        FROM pg_class WHERE relnamespace = 'graph_data'::regnamespace AND relkind = 'r' GROUP BY 1
      ) sizes
      WHERE sizes.id = g.id::text;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE graphs DROP COLUMN bytes');
  }
}
