import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { tableRights } from './roles/table-rights.js';

/** For each table, the only file whose statements change it. That file shows everything that can happen to a row. */
const owners: Record<string, string> = {
  api_key_graphs: 'api-keys/api-keys.repository.ts',
  api_keys: 'api-keys/api-keys.repository.ts',
  audit_events: 'audit/audit.service.ts',
  connection_grants: 'warehouse/grants/connection-grants.repository.ts',
  graph_changes: 'ingestion/run/graph-changes.ts',
  graph_elements: 'ingestion/run/write-elements.ts',
  graph_members: 'permissions/permissions.repository.ts',
  graphs: 'graphs/graphs.repository.ts',
  idempotency_keys: 'idempotency/idempotency.service.ts',
  ingestion_jobs: 'ingestion/jobs.repository.ts',
  ingestion_rejected: 'ingestion/rejected-rows.repository.ts',
  ingestion_revisions: 'ingestion/jobs.repository.ts',
  ingestion_runs: 'ingestion/runs.repository.ts',
  licence_clock: 'licensing/licence-clock.repository.ts',
  metric_bindings: 'metrics/metrics.repository.ts',
  metric_results: 'metrics/results/results.repository.ts',
  metric_watches: 'metrics/watches/watches.repository.ts',
  metrics: 'metrics/metrics.repository.ts',
  mirror_copies: 'warehouse/copies/mirror-copies.repository.ts',
  mirror_copy_runs: 'warehouse/copies/copy-runs.repository.ts',
  mirror_copy_tables: 'warehouse/copies/mirror-copies.repository.ts',
  mirror_tables: 'warehouse/mirror/mirror-versions.ts',
  queries: 'queries/queries.repository.ts',
  query_claims: 'queries/queries.repository.ts',
  query_runs: 'queries/query-runs.repository.ts',
  rate_limit_hits: 'limits/storage/postgres.storage.ts',
  graph_synonyms: 'queries/lexicon.repository.ts',
  saved_queries: 'queries/saved-queries.repository.ts',
  seen_versions: 'queries/queries.repository.ts',
  schedule_rests: 'schedules/schedules.repository.ts',
  schedule_starts: 'schedules/schedules.repository.ts',
  schedules: 'schedules/schedules.repository.ts',
  users: 'users/users.repository.ts',
  warehouse_connections: 'warehouse/connections/connections.repository.ts',
  webhook_deliveries: 'webhooks/deliveries.repository.ts',
  webhooks: 'webhooks/webhooks.repository.ts',
};

/**
 * Tables whose names are computed, such as the tables of a graph or of an upload: the expression for the name in a statement, and the only
 * file that changes the table.
 */
const ownersOfNamed: Record<string, string> = {
  '${scope.nodes}': 'ingestion/run/write-nodes.ts',
  '${scope.edges}': 'ingestion/run/write-edges.ts',
  // A run may write edges to a separate table. If that table cannot replace the graph's edge table, its rows are copied.
  '${edges}': 'ingestion/run/load-apart.ts',
  '${emptyTable}': 'backup/restore-backup.ts',
  '${this.table}': 'warehouse/mirror/copy/copy-target.ts',
  '${table}': 'warehouse/mirror/upsert-rows.ts',
  '${staged}': 'warehouse/copies/stage-table.ts',
  '${target}': 'warehouse/copies/upsert-delta.ts',
};

const source = path.resolve(__dirname, '..');
const statement =
  /\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM|TRUNCATE|MERGE\s+INTO|COPY)\s+(?:TABLE\s+)?(?:ONLY\s+)?(?:"?(\w+)"?\.)?(?:"?(\w+)"?|(\$\{[^}]*\}))/gi;

/** Finds the tables that statements in a text change: by name, by an expression for a name, or in another schema. */
function findChanged(text: string): string[] {
  return [...text.matchAll(statement)].flatMap(([, schema = 'public', table = '', expression = '']) => {
    if (schema === 'pg_temp') return [];
    if (schema !== 'public') return [`${schema}.${table}${expression}`];
    // Any other word is part of a sentence or of the syntax: `FOR UPDATE OF`, `DO UPDATE SET`.
    return expression !== '' || table in owners ? [expression || table] : [];
  });
}

/** The source files that may contain statements. Files `*errors.ts` are left out, since they contain messages about statements. */
function readSources(): { file: string; text: string }[] {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    file => file.endsWith('.ts') && !/([.-]spec|errors)\.ts$/.test(file) && !file.startsWith('database/migrations/'),
  );
  return files.map(file => ({ file, text: readFileSync(path.join(source, file), 'utf8') }));
}

/**
 * Finds the tables of TypeORM repositories. A repository changes rows without a statement in the source, so each file that uses one counts
 * as changing the entity's table.
 */
function findRepositories(text: string, tables: Map<string, string>): string[] {
  return [...text.matchAll(/\b(?:InjectRepository|getRepository|manager\.\w+|createQueryBuilder)\((\w+)/g)].map(
    ([, entity = '']) => tables.get(entity) ?? entity,
  );
}

describe('the owners of tables', () => {
  const sources = readSources();
  const tables = new Map(
    sources.flatMap(({ text }) =>
      [...text.matchAll(/@Entity\('(\w+)'\)\s+export class (\w+)/g)].map(([, table = '', entity = '']) => [entity, table] as const),
    ),
  );
  const changes = sources.flatMap(({ file, text }) =>
    [...findChanged(text), ...findRepositories(text, tables)].map(table => ({ table, file })),
  );

  it('are named for every table', () => {
    expect(Object.keys(owners).sort()).toEqual(
      Object.keys(tableRights)
        .filter(table => table !== 'migrations')
        .sort(),
    );
  });

  it('are the only files that change them, and each does', () => {
    const all = { ...owners, ...ownersOfNamed };
    expect(changes.filter(({ table, file }) => all[table] !== file)).toEqual([]);
    expect(Object.keys(all).filter(table => !changes.some(change => change.table === table))).toEqual([]);
  });

  it.each([
    ['INSERT INTO\n         users (username) VALUES ($1)', ['users']],
    ['update only public.users SET disabled_at = now()', ['users']],
    ['WITH gone AS (DELETE FROM "users" RETURNING id) UPDATE graphs SET owner_id = 1', ['users', 'graphs']],
    ['TRUNCATE TABLE users', ['users']],
    ['MERGE INTO users u USING given ON true', ['users']],
    ['COPY users FROM STDIN', ['users']],
    ['UPDATE ${scope.nodes} n SET run_id = $2', ['${scope.nodes}']],
    ['DELETE FROM ${table}', ['${table}']],
    ['DELETE FROM graph_data.${name}', ['graph_data.${name}']],
    ['DELETE FROM graph_data.nodes_1', ['graph_data.nodes_1']],
    ['SELECT id FROM users FOR UPDATE OF users', []],
    ['ON CONFLICT (id) DO UPDATE SET name = excluded.name', []],
    ['UPDATE pg_temp.${plan.table} s SET gone = true', []],
  ])('are found in statements that change a table: %s', (text, changed) => {
    expect(findChanged(text)).toEqual(changed);
  });

  it('are found in repositories of entities', () => {
    expect(tables.get('User')).toBe('users');
    expect(findRepositories('constructor(@InjectRepository(User) users: Repository<User>)', tables)).toEqual(['users']);
  });
});
