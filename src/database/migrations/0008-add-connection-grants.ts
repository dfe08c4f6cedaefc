// The previous release keeps working, and goes on letting every user read. A binding that it makes has no saver and must be made
// again.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Stores who may use a warehouse connection, besides admins. Connections are closed by default, also the mirror, which every user
 * could read before; an admin reopens it to all with `POST /api/permissions/connections/1/users {"user_id": "everyone", "right":
 * "read"}`. A binding remembers its saver, as jobs do, and reads the warehouse in that user's name. Keys may carry permissions.
 */
export class AddConnectionGrants1700000000008 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- No user: everyone. Whoever may write may also read.
      CREATE TABLE connection_grants (
        connection_id int NOT NULL REFERENCES warehouse_connections (id) ON DELETE CASCADE,
        user_id       int REFERENCES users (id) ON DELETE CASCADE,
        can_write     boolean NOT NULL,
        granted_by    int REFERENCES users (id) ON DELETE SET NULL,
        created_at    timestamptz NOT NULL DEFAULT now(),
        UNIQUE NULLS NOT DISTINCT (connection_id, user_id)
      );
      CREATE INDEX connection_grants_user ON connection_grants (user_id);

      ALTER TABLE metric_bindings ADD COLUMN saved_by int REFERENCES users (id) ON DELETE SET NULL;
      UPDATE metric_bindings b SET saved_by = m.created_by FROM metrics m WHERE m.id = b.metric_id;

      ALTER TABLE api_keys ADD COLUMN permissions text[] NOT NULL DEFAULT '{}';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE api_keys DROP COLUMN permissions;
      ALTER TABLE metric_bindings DROP COLUMN saved_by;
      DROP TABLE connection_grants;
    `);
  }
}
