// The previous release keeps working. What its runs note does not follow `version_at`, so what they make is loaded in full.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Adds when the version of a graph was made, which tells apart the contents that a restored backup gives to one number. `updated_at` also
 * changes with the name of a graph. `graph_changes.follows` is the `version_at` of the version before.
 */
export class TellVersionsOfGraphsApart1700000000035 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE graphs ADD COLUMN version_at timestamptz NOT NULL DEFAULT now();
      UPDATE graphs SET version_at = updated_at;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE graphs DROP COLUMN version_at');
  }
}
