// The previous release keeps working. Its runs note nothing, so what they make is loaded in full.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Notes which nodes and edges a run that changed little has inserted, changed or removed, by the version that it made, so that the
 * version before can be brought forward in memory. `follows` is `graphs.updated_at` of that version: a restored backup may give the
 * number of a version to other contents. `edge_sources` are the sources of `edges`, because edges are found by their source.
 */
export class NoteChangesOfGraphs1700000000033 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE graph_changes (
        graph_id     int NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
        version      int NOT NULL,
        follows      timestamptz NOT NULL,
        nodes        bigint[] NOT NULL,
        edges        bigint[] NOT NULL,
        edge_sources bigint[] NOT NULL,
        PRIMARY KEY (graph_id, version)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE graph_changes');
  }
}
