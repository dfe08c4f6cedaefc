// The previous release keeps working and ignores the schema. A metric that it binds to a query meanwhile has to be bound again if
// the query writes `mirror.` before a table.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Names the schema of the tables that a metric's query reads, as metrics bound to a table do. Until now all were in `mirror`. */
export class NameSchemasOfBoundQueries1700000000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE metric_bindings SET binding = jsonb_set(binding, '{bound,fact,source,schema}', '"mirror"')
      WHERE binding #> '{bound,fact,source,sql}' IS NOT NULL
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `UPDATE metric_bindings SET binding = binding #- '{bound,fact,source,schema}' WHERE binding #> '{bound,fact,source,sql}' IS NOT NULL`,
    );
  }
}
