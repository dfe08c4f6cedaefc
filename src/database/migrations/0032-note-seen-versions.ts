// The previous release keeps working: it does not know this table.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Notes the newest version of a graph that a user has had an answer from, so that no later answer is of an older one. It is unlogged:
 * a version that goes on answering while the next one loads ends with the server, so rows of before it are of no use.
 */
export class NoteSeenVersions1700000000032 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE UNLOGGED TABLE seen_versions (
        graph_id int NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
        user_id  int NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        version  int NOT NULL,
        PRIMARY KEY (graph_id, user_id)
      );
      CREATE INDEX seen_versions_user ON seen_versions (user_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE seen_versions');
  }
}
