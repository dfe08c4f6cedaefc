// The previous release keeps working and leaves these schedules alone.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Lets schedules start copies into the mirror, and go with them. */
export class ScheduleMirrorCopies1700000000022 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE schedules
        ADD mirror_copy_id int GENERATED ALWAYS AS (CASE WHEN kind = 'mirror_copy' THEN target_id END) STORED
            REFERENCES mirror_copies (id) ON DELETE CASCADE;
      CREATE INDEX schedules_mirror_copy ON schedules (mirror_copy_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM schedules WHERE kind = 'mirror_copy'; ALTER TABLE schedules DROP COLUMN mirror_copy_id`);
  }
}
