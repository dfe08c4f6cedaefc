import { type Role } from './database-access.js';

const write = 'SELECT, INSERT, UPDATE, DELETE';

/** The rights of each role on each table of schema `public`. A table that is not listed belongs to the owner alone. */
export const tableRights: Record<string, Partial<Record<Role, string>>> = {
  api_key_graphs: { records: write },
  api_keys: { records: write },
  connection_grants: { records: write },
  // Events are never changed, and only the sweep deletes old ones.
  audit_events: { records: 'SELECT, INSERT, DELETE' },
  graph_changes: { records: write, retrieval: 'SELECT' },
  graph_elements: { records: write, retrieval: 'SELECT' },
  graph_members: { records: write },
  graph_synonyms: { records: write },
  graphs: { records: write, retrieval: 'SELECT (id, version, version_at)' },
  idempotency_keys: { records: write },
  ingestion_jobs: { records: write },
  ingestion_rejected: { records: write },
  ingestion_revisions: { records: write },
  ingestion_runs: { records: write, retrieval: 'SELECT (id, job_id, created_at, started_at, finished_at)' },
  licence_clock: { records: write },
  metric_bindings: { records: write },
  metric_results: { records: write },
  metric_watches: { records: write },
  metrics: { records: write },
  migrations: {},
  mirror_copies: { records: write },
  mirror_copy_runs: { records: write },
  mirror_copy_tables: { records: write },
  // A query on the mirror reads the versions of the tables in its own snapshot, so that they are exactly the versions of its data.
  mirror_tables: { records: write, mirror: 'SELECT (name, version, changed_at)' },
  queries: { records: write },
  query_claims: { records: write },
  query_runs: { records: write },
  rate_limit_hits: { records: write },
  saved_queries: { records: write },
  seen_versions: { records: write },
  schedule_rests: { records: write },
  schedule_starts: { records: write },
  schedules: { records: write },
  users: { records: write },
  warehouse_connections: { records: write },
  webhook_deliveries: { records: write },
  webhooks: { records: write },
};

/** For each schema whose tables are made while the service works, the role that reads all of its tables. `records` owns the tables. */
export const ownedSchemas: Record<string, Role> = { mirror: 'mirror', graph_data: 'retrieval' };
