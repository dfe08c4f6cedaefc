// The previous release keeps working: the users it makes have no normal name until the next start of this one, its answers no size.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * The normal name of a user, which only one may have (`UsersRepository.fillNormalNames` gives it to those who are there, with a
 * number where it is taken), the size
 * of a stored answer, and an index for the age of runs.
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
