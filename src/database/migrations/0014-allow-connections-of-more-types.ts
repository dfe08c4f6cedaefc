// The previous release keeps working: it refuses to open connections of the new types.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Lets warehouse connections be of every type that the service knows; the code decides which of them are built. Beside a sealed DSN
 * stands the masked one, so that connections can be shown without opening it.
 */
export class AllowConnectionsOfMoreTypes1700000000014 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE warehouse_connections DROP CONSTRAINT warehouse_connections_type_check,
        ADD CONSTRAINT warehouse_connections_type_check
          CHECK (type IN ('pg_mirror', 'postgres', 'mysql', 'clickhouse', 'duckdb', 'trino', 'snowflake', 'bigquery')),
        ADD COLUMN dsn_masked text,
        ADD CONSTRAINT warehouse_connections_masked CHECK ((dsn_sealed IS NULL) = (dsn_masked IS NULL));
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE warehouse_connections DROP COLUMN dsn_masked, DROP CONSTRAINT warehouse_connections_type_check,
        ADD CONSTRAINT warehouse_connections_type_check CHECK (type IN ('pg_mirror', 'postgres'));
    `);
  }
}
