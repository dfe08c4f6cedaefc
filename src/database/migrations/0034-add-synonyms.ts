// The previous release keeps working: it does not know this table.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Adds the synonyms that editors give to the names of a graph. They go with every question, so the key of its answer holds them. */
export class AddSynonyms1700000000034 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE graph_synonyms (
        id         int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        graph_id   int NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
        kind       text NOT NULL CHECK (kind IN ('label', 'relation', 'property', 'metric', 'dimension', 'name')),
        name       text NOT NULL,
        synonym    text NOT NULL,
        created_by int REFERENCES users (id) ON DELETE SET NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        UNIQUE (graph_id, kind, name, synonym)
      );
      CREATE INDEX graph_synonyms_created_by ON graph_synonyms (created_by);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE graph_synonyms');
  }
}
