// The previous release keeps working: it does not know these tables.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Adds API keys with the graphs they open, and the record of everything that changes access. */
export class AddKeysAndAudit1700000000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE api_keys (
        id           int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        user_id      int NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        name         text NOT NULL,
        public_id    text NOT NULL UNIQUE,
        secret_hash  bytea NOT NULL,
        rate_limit   int NOT NULL CHECK (rate_limit > 0),
        expires_at   timestamptz NOT NULL,
        revoked_at   timestamptz,
        last_used_at timestamptz,
        created_at   timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX api_keys_user ON api_keys (user_id);

      CREATE TABLE api_key_graphs (
        api_key_id int NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
        graph_id   int NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
        PRIMARY KEY (api_key_id, graph_id)
      );
      CREATE INDEX api_key_graphs_graph ON api_key_graphs (graph_id);

      -- No foreign keys: an event outlives what it tells of.
      CREATE TABLE audit_events (
        id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        at         timestamptz NOT NULL DEFAULT now(),
        action     text NOT NULL,
        actor_id   int,
        actor      text,
        target     text NOT NULL,
        target_id  int,
        context    jsonb NOT NULL DEFAULT '{}',
        request_id text
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE audit_events, api_key_graphs, api_keys');
  }
}
