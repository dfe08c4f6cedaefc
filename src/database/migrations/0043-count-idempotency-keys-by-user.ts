// The previous release works on, after a pause of its keyed requests while the index is built; the keys that it takes count for no user,
// and are forgotten within 24 hours.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Counts the idempotency keys and answers of all credentials of a user together. */
export class CountIdempotencyKeysByUser1700000000043 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE idempotency_keys ADD COLUMN user_id int;
      CREATE INDEX idempotency_keys_user ON idempotency_keys (user_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotency_keys DROP COLUMN user_id');
  }
}
