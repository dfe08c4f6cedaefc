// The first migration: there is no previous release.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Creates the whole schema. `nodes` and `edges` are partitioned by `graph_id`: each graph has its own statistics, is dropped in one
 * step and never slows another. Every key starts with `graph_id`, which is also the distribution column of a distributed
 * PostgreSQL.
 */
export class CreateSchema1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE users (
        id                   int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        username             text NOT NULL UNIQUE,
        password_hash        text NOT NULL,
        is_admin             boolean NOT NULL DEFAULT false,
        must_change_password boolean NOT NULL DEFAULT false,
        token_version        int NOT NULL DEFAULT 1,
        disabled_at          timestamptz,
        created_at           timestamptz NOT NULL DEFAULT now()
      );

      CREATE TABLE graphs (
        id          int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name        text NOT NULL,
        description text,
        owner_id    int NOT NULL REFERENCES users (id) ON DELETE RESTRICT,
        version     int NOT NULL DEFAULT 0,
        created_at  timestamptz NOT NULL DEFAULT now(),
        updated_at  timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX graphs_owner ON graphs (owner_id);

      CREATE TABLE graph_members (
        graph_id   int NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
        user_id    int NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        role       text NOT NULL CHECK (role IN ('viewer', 'editor', 'manager')),
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (graph_id, user_id)
      );
      CREATE INDEX graph_members_user ON graph_members (user_id);

      CREATE TABLE warehouse_connections (
        id         int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name       text NOT NULL UNIQUE,
        type       text NOT NULL CHECK (type IN ('pg_mirror', 'postgres')),
        dsn_sealed text,
        options    jsonb NOT NULL DEFAULT '{}',
        is_default boolean NOT NULL DEFAULT false,
        created_at timestamptz NOT NULL DEFAULT now(),
        CHECK ((type = 'pg_mirror') = (dsn_sealed IS NULL))
      );
      CREATE UNIQUE INDEX warehouse_connections_one_default ON warehouse_connections (is_default) WHERE is_default;

      CREATE TABLE ingestion_jobs (
        id            int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        graph_id      int NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
        connection_id int NOT NULL REFERENCES warehouse_connections (id) ON DELETE RESTRICT,
        name          text NOT NULL,
        mapping_yaml  text NOT NULL,
        cursors       jsonb NOT NULL DEFAULT '{}',
        created_by    int REFERENCES users (id) ON DELETE SET NULL,
        created_at    timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX ingestion_jobs_graph ON ingestion_jobs (graph_id);
      CREATE INDEX ingestion_jobs_connection ON ingestion_jobs (connection_id);

      CREATE TABLE ingestion_runs (
        id           int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        job_id       int NOT NULL REFERENCES ingestion_jobs (id) ON DELETE CASCADE,
        status       text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
        phase        text,
        attempt      int NOT NULL DEFAULT 0,
        lease_owner  uuid,
        lease_until  timestamptz,
        cancel_requested boolean NOT NULL DEFAULT false,
        report       jsonb NOT NULL DEFAULT '{}',
        error        jsonb,
        requested_by int REFERENCES users (id) ON DELETE SET NULL,
        created_at   timestamptz NOT NULL DEFAULT now(),
        started_at   timestamptz,
        finished_at  timestamptz
      );
      CREATE UNIQUE INDEX ingestion_runs_one_active ON ingestion_runs (job_id) WHERE status IN ('queued', 'running');
      CREATE INDEX ingestion_runs_waiting ON ingestion_runs (id) WHERE status IN ('queued', 'running');
      CREATE INDEX ingestion_runs_job ON ingestion_runs (job_id, id);

      CREATE TABLE ingestion_rejected (
        run_id     int NOT NULL REFERENCES ingestion_runs (id) ON DELETE CASCADE,
        id         bigint GENERATED ALWAYS AS IDENTITY,
        target     text NOT NULL,
        row_no     bigint NOT NULL,
        source_key text,
        reasons    jsonb NOT NULL,
        sample     jsonb NOT NULL,
        PRIMARY KEY (run_id, id)
      );

      CREATE SEQUENCE node_ids;
      CREATE SEQUENCE edge_ids;

      CREATE TABLE nodes (
        graph_id   int NOT NULL,
        id         bigint NOT NULL DEFAULT nextval('node_ids'),
        label      text NOT NULL,
        key        text NOT NULL,
        display    text NOT NULL,
        properties jsonb NOT NULL DEFAULT '{}',
        run_id     int NOT NULL,
        PRIMARY KEY (graph_id, id),
        UNIQUE (graph_id, label, key)
      ) PARTITION BY LIST (graph_id);

      CREATE TABLE edges (
        graph_id   int NOT NULL,
        id         bigint NOT NULL DEFAULT nextval('edge_ids'),
        type       text NOT NULL,
        source_id  bigint NOT NULL,
        target_id  bigint NOT NULL,
        key        text NOT NULL,
        properties jsonb NOT NULL DEFAULT '{}',
        run_id     int NOT NULL,
        UNIQUE (graph_id, source_id, type, target_id, key)
      ) PARTITION BY LIST (graph_id);
      CREATE INDEX edges_incoming ON edges (graph_id, target_id, type);

      -- What a graph is made of, and where each kind of element comes from: written by every run, read by the schema
      -- route, the planner and the citations.
      CREATE TABLE graph_elements (
        graph_id      int NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
        kind          text NOT NULL CHECK (kind IN ('node', 'edge')),
        name          text NOT NULL,
        source_label  text NOT NULL DEFAULT '',
        target_label  text NOT NULL DEFAULT '',
        job_id        int NOT NULL,
        aliases       text[] NOT NULL DEFAULT '{}',
        connection_id int NOT NULL,
        connection    text NOT NULL,
        source_table  text NOT NULL,
        key_columns   text[] NOT NULL,
        key_properties text[] NOT NULL DEFAULT '{}',
        display_property text,
        properties    jsonb NOT NULL DEFAULT '[]',
        row_count     bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (graph_id, kind, name, source_label, target_label, job_id)
      );

      CREATE TABLE metrics (
        id          int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        graph_id    int NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
        name        text NOT NULL,
        aliases     text[] NOT NULL DEFAULT '{}',
        formula     text NOT NULL,
        unit        text,
        description text,
        created_by  int REFERENCES users (id) ON DELETE SET NULL,
        created_at  timestamptz NOT NULL DEFAULT now(),
        updated_at  timestamptz NOT NULL DEFAULT now(),
        UNIQUE (graph_id, name)
      );

      CREATE TABLE metric_bindings (
        metric_id     int PRIMARY KEY REFERENCES metrics (id) ON DELETE CASCADE,
        connection_id int NOT NULL REFERENCES warehouse_connections (id) ON DELETE RESTRICT,
        binding       jsonb NOT NULL,
        version       int NOT NULL DEFAULT 1,
        updated_at    timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX metric_bindings_connection ON metric_bindings (connection_id);

      CREATE TABLE queries (
        id            int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
        graph_id      int NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
        graph_version int NOT NULL,
        request_hash  bytea NOT NULL,
        kind          text NOT NULL CHECK (kind IN ('question', 'search', 'cypher')),
        request       jsonb NOT NULL,
        answer        jsonb NOT NULL,
        created_by    int REFERENCES users (id) ON DELETE SET NULL,
        created_at    timestamptz NOT NULL DEFAULT now(),
        UNIQUE (graph_id, request_hash)
      );

      CREATE SCHEMA mirror;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP SCHEMA mirror CASCADE;
      DROP TABLE queries, metric_bindings, metrics, graph_elements, edges, nodes, ingestion_rejected, ingestion_runs, ingestion_jobs,
        warehouse_connections, graph_members, graphs, users;
      DROP SEQUENCE node_ids, edge_ids;
    `);
  }
}
