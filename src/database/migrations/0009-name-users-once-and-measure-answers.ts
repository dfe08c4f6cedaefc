// The previous release keeps working. Its new users have no normal name until this release starts again, and its answers have no
// size.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Adds the normal name of a user, which must be unique, the size of a stored answer, and an index for the age of runs.
 * `UsersRepository.fillNormalNames` gives existing users their normal name, with a number where it is taken.
 */
export class NameUsersOnceAndMeasureAnswers1700000000009 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE users ADD COLUMN normal_name text CONSTRAINT users_normal_name_key UNIQUE;
      CREATE INDEX users_normal_name_before_number ON users (split_part(normal_name, '#', 1));
      ALTER TABLE queries ADD COLUMN bytes int NOT NULL DEFAULT 0;
      CREATE INDEX ingestion_runs_finished ON ingestion_runs (finished_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX ingestion_runs_finished;
      ALTER TABLE queries DROP COLUMN bytes;
      ALTER TABLE users DROP COLUMN normal_name;
    `);
  }
}
