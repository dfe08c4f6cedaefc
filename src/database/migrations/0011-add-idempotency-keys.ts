// The previous release keeps working and ignores the keys.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Adds the keys under which callers repeat requests, with the answers to repeat. A row without a status is a request under way. */
export class AddIdempotencyKeys1700000000011 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The type json keeps the text of an answer; jsonb would reorder its fields.
    await runner.query(`
      CREATE TABLE idempotency_keys (
        caller text NOT NULL,
        key_hash bytea NOT NULL,
        body_hash bytea NOT NULL,
        attempt uuid NOT NULL,
        status smallint,
        location text,
        answer json,
        bytes int NOT NULL DEFAULT 0,
        expires_at timestamptz NOT NULL,
        PRIMARY KEY (caller, key_hash)
      );
      CREATE INDEX idempotency_keys_expires ON idempotency_keys (expires_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotency_keys');
  }
}
