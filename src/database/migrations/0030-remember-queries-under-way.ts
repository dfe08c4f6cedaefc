// The previous release keeps working: it does not know these tables.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Adds queries that outlast their request, which processes compute an answer, and saved queries. Claims are unlogged and refer to no
 * graph: they last as long as the work, and every query writes one.
 */
export class RememberQueriesUnderWay1700000000030 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE UNLOGGED TABLE query_claims (
        graph_id      int NOT NULL,
        key           bytea NOT NULL,
        claim_id      uuid NOT NULL,
        claimed_until timestamptz NOT NULL,
        PRIMARY KEY (graph_id, key)
      );

      CREATE TABLE query_runs (
        -- From the sequence of queries, so that an id names one query.
        id          int PRIMARY KEY,
        graph_id    int NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
        user_id     int NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        kind        text NOT NULL CHECK (kind IN ('question', 'search', 'cypher')),
        -- Not jsonb, which cannot hold every text that a parameter may have.
        request     json NOT NULL,
        status      text NOT NULL CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
        attempt     int NOT NULL DEFAULT 1,
        lease_owner uuid,
        lease_until timestamptz,
        -- The three lines of the protocol of retrieval, which may be too many to be parsed.
        answer      bytea,
        bytes       int NOT NULL DEFAULT 0,
        error       json,
        -- No finer than what a cursor of a list can hold.
        created_at  timestamptz NOT NULL DEFAULT date_trunc('milliseconds', now()),
        ended_at    timestamptz
      );
      CREATE INDEX query_runs_user ON query_runs (user_id, created_at, id);
      CREATE INDEX query_runs_graph ON query_runs (graph_id);
      CREATE INDEX query_runs_going ON query_runs (lease_until) WHERE status IN ('queued', 'running');
      CREATE INDEX queries_created_by ON queries (created_by, created_at, id);

      CREATE TABLE saved_queries (
        id          serial PRIMARY KEY,
        graph_id    int NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
        user_id     int NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        name        text NOT NULL,
        description text NOT NULL DEFAULT '',
        request     json NOT NULL,
        created_at  timestamptz NOT NULL DEFAULT now(),
        updated_at  timestamptz NOT NULL DEFAULT now(),
        UNIQUE (user_id, graph_id, name)
      );
      CREATE INDEX saved_queries_graph ON saved_queries (graph_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX queries_created_by; DROP TABLE saved_queries, query_runs, query_claims');
  }
}
