// The previous release keeps working: it does not know this table.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Adds the results of metrics that are kept, and what is being read. The table is unlogged: a server that crashes forgets them, and
 * they are read again. A row without a result is only being read.
 */
export class KeepResultsOfMetrics1700000000029 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE UNLOGGED TABLE metric_results (
        graph_id      int NOT NULL REFERENCES graphs ON DELETE CASCADE,
        key           bytea NOT NULL,
        connection_id int NOT NULL REFERENCES warehouse_connections ON DELETE CASCADE,
        created_by    int NOT NULL REFERENCES users ON DELETE CASCADE,
        result        text,
        bytes         int NOT NULL DEFAULT 0,
        versions      jsonb,
        read_at       timestamptz,
        run_id        uuid,
        run_versions  jsonb,
        run_until     timestamptz,
        PRIMARY KEY (graph_id, key)
      );
      CREATE INDEX metric_results_created_by ON metric_results (created_by);
      CREATE INDEX metric_results_connection ON metric_results (connection_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE metric_results');
  }
}
