// Beside this one the previous release sends as before, and looks for lost deliveries among all that are due.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Finds the deliveries whose last attempt was lost without reading those that are due, which wait for as long as their webhook is disabled. */
export class FindLostDeliveries1700000000042 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX webhook_deliveries_lost ON webhook_deliveries (next_at) WHERE status = 'pending' AND attempts >= 7;
      DROP INDEX webhook_deliveries_next;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX webhook_deliveries_next ON webhook_deliveries (next_at) WHERE status = 'pending';
      DROP INDEX webhook_deliveries_lost;
    `);
  }
}
