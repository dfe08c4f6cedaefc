// Beside this one the previous release records no event, and lets nobody log in, while the index is made.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Lets the events of a user within a day be counted before each change. */
export class FindRecentChangesOfAUser1700000000041 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX audit_events_actor ON audit_events (actor_id, at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX audit_events_actor');
  }
}
