// The previous release keeps working: it starts what is due by age alone, and its starts count for nobody.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Lets schedules start by users in turn. Starts name the user whose share they took, schedules are found by the line of their user, and
 * a line whose user has no place for more rests as a whole.
 */
export class LetSchedulesTakeTurns1700000000037 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX schedules_line ON schedules ((coalesce(saved_by, 0)), kind, look_at) WHERE enabled;
      -- 0 for users who had been deleted; null for starts of earlier releases.
      ALTER TABLE schedule_starts ADD user_id int;
      CREATE INDEX schedule_starts_user ON schedule_starts (user_id, at);
      CREATE TABLE schedule_rests (
        user_id int NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        kind    text NOT NULL,
        since   timestamptz NOT NULL,
        until   timestamptz NOT NULL,
        -- Why the line rests: {code, zh, en}.
        reason  jsonb NOT NULL,
        PRIMARY KEY (user_id, kind)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE schedule_rests; ALTER TABLE schedule_starts DROP COLUMN user_id; DROP INDEX schedules_line');
  }
}
