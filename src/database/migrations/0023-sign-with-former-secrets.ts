// The previous release keeps working; it signs with the new secret only, and a secret that it changes ends at once.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Keeps the former secret of a webhook for a while, and finds the deliveries of a webhook that wait. */
export class SignWithFormerSecrets1700000000023 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE webhooks ADD former_secret_sealed text, ADD former_secret_until timestamptz;
      CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (webhook_id, next_at, id) WHERE status = 'pending';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX webhook_deliveries_pending;
      ALTER TABLE webhooks DROP COLUMN former_secret_sealed, DROP COLUMN former_secret_until;
    `);
  }
}
