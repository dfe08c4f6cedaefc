// Beside this one the previous release stores no answers (it names the constraint that goes, and logs a warning for each), may answer from
// any stored answer of a version, and its sweep removes the answers of earlier versions.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Lets a newer answer of a request stand beside the earlier ones, so that links to these go on showing what they showed. */
export class KeepEarlierAnswers1700000000036 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX queries_of_request ON queries (graph_id, request_hash, created_at DESC, id DESC);
      ALTER TABLE queries DROP CONSTRAINT queries_graph_id_request_hash_key;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      LOCK TABLE queries;
      DELETE FROM queries WHERE id IN (
        SELECT id FROM (
          SELECT id, row_number() OVER (PARTITION BY graph_id, request_hash ORDER BY graph_version DESC, created_at DESC, id DESC) AS place FROM queries) ranked
        WHERE place > 1);
      DROP INDEX queries_of_request;
      ALTER TABLE queries ADD CONSTRAINT queries_graph_id_request_hash_key UNIQUE (graph_id, request_hash);
    `);
  }
}
