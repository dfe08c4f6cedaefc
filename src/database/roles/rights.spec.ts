import pg from 'pg';
import { emptyDatabase, type TestDatabase } from '../../../test/support/database.js';
import { createGraphTables } from '../graph-tables.js';
import { prepareDatabase } from '../prepare-database.js';
import { quoteIdentifier } from '../../sql/quote-identifier.js';
import { type DatabaseAccess, type Role, roles } from './database-access.js';
import { prepareServer } from './prepare-server.js';

const all = 'SELECT INSERT UPDATE DELETE';

/**
 * The rights of each role on each table, in the order of `roles`. If a role may read only some columns of a table, these columns are
 * listed. A new table fails the test until it is listed here.
 */
const matrix: Record<string, [records: string, retrieval: string, mirror: string]> = {
  'public.api_key_graphs': [all, '', ''],
  'public.api_keys': [all, '', ''],
  'public.audit_events': ['SELECT INSERT DELETE', '', ''],
  'public.connection_grants': [all, '', ''],
  'public.graph_changes': [all, 'SELECT', ''],
  'public.graph_elements': [all, 'SELECT', ''],
  'public.graph_members': [all, '', ''],
  'public.graphs': [all, 'id version version_at', ''],
  'public.idempotency_keys': [all, '', ''],
  'public.ingestion_jobs': [all, '', ''],
  'public.ingestion_rejected': [all, '', ''],
  'public.ingestion_revisions': [all, '', ''],
  'public.ingestion_runs': [all, 'id job_id created_at started_at finished_at', ''],
  'public.licence_clock': [all, '', ''],
  'public.metric_bindings': [all, '', ''],
  'public.metric_results': [all, '', ''],
  'public.metric_watches': [all, '', ''],
  'public.metrics': [all, '', ''],
  'public.migrations': ['', '', ''],
  'public.mirror_copies': [all, '', ''],
  'public.mirror_copy_runs': [all, '', ''],
  'public.mirror_copy_tables': [all, '', ''],
  'public.mirror_tables': [all, '', 'name version changed_at'],
  'public.queries': [all, '', ''],
  'public.query_claims': [all, '', ''],
  'public.query_runs': [all, '', ''],
  'public.rate_limit_hits': [all, '', ''],
  'public.graph_synonyms': [all, '', ''],
  'public.saved_queries': [all, '', ''],
  'public.seen_versions': [all, '', ''],
  'public.schedule_rests': [all, '', ''],
  'public.schedule_starts': [all, '', ''],
  'public.schedules': [all, '', ''],
  'public.users': [all, '', ''],
  'public.warehouse_connections': [all, '', ''],
  'public.webhook_deliveries': [all, '', ''],
  'public.webhooks': [all, '', ''],
  'graph_data.nodes_7': [all, 'SELECT', ''],
  'graph_data.edges_7': [all, 'SELECT', ''],
  'mirror.things': [all, '', 'SELECT'],
};

/** Statements that the database refuses to every role, with the SQLSTATE if it is not 42501. */
const refusedToAll: [sql: string, sqlstate?: string][] = [
  ['CREATE ROLE evil'],
  ['CREATE DATABASE evil'],
  ['CREATE SCHEMA evil'],
  ['CREATE EXTENSION dblink'],
  ['CREATE TABLE public.users_2 (LIKE users)'],
  ['DROP TABLE public.users'],
  ['ALTER TABLE public.users ADD evil int'],
  ['TRUNCATE public.users'],
  ['SET ROLE $owner'],
  ['SET SESSION AUTHORIZATION $owner'],
  ['ALTER ROLE $owner SUPERUSER'],
  ['GRANT pg_read_all_data TO $me'],
  ["SELECT pg_read_file('/etc/passwd')"],
  ["SELECT pg_ls_dir('/')"],
  ["SELECT lo_import('/etc/passwd')"],
  ["COPY (SELECT 1) TO PROGRAM 'true'"],
  ["COPY (SELECT 1) TO '/tmp/evil'"],
  ["ALTER SYSTEM SET log_statement = 'all'"],
  ['SELECT pg_reload_conf()'],
  ['SELECT pg_stat_reset()'],
  ['SELECT * FROM pg_authid'],
  ['SELECT passwd FROM pg_shadow'],
  ["SELECT pg_create_restore_point('x')"],
  ["SELECT pg_create_physical_replication_slot('x')"],
  ['SET session_preload_libraries = evil'],
  ['CREATE FUNCTION mirror.evil() RETURNS int LANGUAGE c AS $$x$$'],
  ['DO $$ BEGIN NULL; END $$'],
];

/** Statements that are refused to the two roles that only read. */
const refusedToReaders: [sql: string, sqlstate?: string][] = [
  ['CREATE TEMP TABLE evil (a int)'],
  ['CREATE TABLE mirror.evil (a int)'],
  ['SET ROLE $records'],
  ['SELECT lo_create(0)'],
  ["SELECT lo_from_bytea(0, 'x')"],
  ['SELECT pg_advisory_lock(7301946201)'],
  ['SELECT pg_try_advisory_lock_shared(1)'],
  ["SELECT pg_notify('x', 'y')"],
  ["SELECT '{\"a\": 1}'::jsonb - '{a}'::text[]"],
  ["SELECT pg_logical_emit_message(false, 'x', repeat('x', 1000))"],
  ['SELECT pg_terminate_backend($recordsBackend)'],
  ['SELECT pg_cancel_backend($recordsBackend)'],
  ["SELECT query_to_xml('SELECT 1', true, true, '')"],
  ["SELECT * FROM ts_stat('SELECT 1')"],
  ["SELECT nextval('graph_data.node_ids')"],
];

const refusedToMirror: [sql: string, sqlstate?: string][] = [
  ["SELECT set_config('work_mem', '1GB', false)"],
  ["SELECT set_config('role', 'none', false)"],
  ['SELECT * FROM public.users'],
  ['SELECT id FROM public.graphs'],
];

describe('the rights of the roles', () => {
  let database: TestDatabase;
  let owner: string;
  let access: DatabaseAccess;
  const clients = {} as Record<Role, pg.Client>;

  beforeAll(async () => {
    database = await emptyDatabase();
    const ownerUrl = await prepareServer({ createDatabase: () => Promise.resolve(database.url) }, new pg.Client(database.url).database!);
    owner = new pg.Client(ownerUrl).user!;
    access = await prepareDatabase(ownerUrl);
    for (const role of roles) {
      clients[role] = new pg.Client(access[role]);
      await clients[role].connect();
    }
    // A session can change `default_transaction_read_only`, so the rights must hold without it.
    for (const role of roles) await clients[role].query('SET default_transaction_read_only = off');
    await clients.records.query('CREATE TABLE mirror.things (id int, name text)');
    await clients.records.query(createGraphTables(7));
  });
  afterAll(async () => {
    for (const role of roles) await clients[role]?.end();
    await database.drop();
  });

  /** Returns the SQLSTATE that a statement ends with, or '' if it runs. Its effects are rolled back. */
  async function outcome(role: Role, sql: string): Promise<string> {
    const isUtility = /^(CREATE DATABASE|ALTER SYSTEM)/.test(sql);
    if (!isUtility) await clients[role].query('BEGIN');
    try {
      await clients[role].query(sql);
      return '';
    } catch (error) {
      return (error as { code: string }).code;
    } finally {
      if (!isUtility) await clients[role].query('ROLLBACK');
    }
  }

  it('are those of the matrix on every table', async () => {
    const { rows: tables } = await clients.records.query<{ name: string; columns: string[]; fixed: string[] }>(
      `SELECT n.nspname || '.' || c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns,
              array_agg(a.attname::text ORDER BY a.attnum) FILTER (WHERE a.attidentity = 'a') AS fixed
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
       WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
       GROUP BY 1`,
    );
    const seen: typeof matrix = {};
    for (const { name, columns, fixed } of tables) {
      const cells: string[] = [];
      for (const role of roles) {
        const settable = columns.find(column => !fixed?.includes(column))!;
        const statements = {
          SELECT: `SELECT * FROM ${name} LIMIT 0`,
          INSERT: `INSERT INTO ${name} DEFAULT VALUES`,
          UPDATE: `UPDATE ${name} SET ${settable} = DEFAULT WHERE false`,
          DELETE: `DELETE FROM ${name}`,
        };
        const allowed: string[] = [];
        for (const [right, sql] of Object.entries(statements)) {
          if ((await outcome(role, sql)) !== '42501') allowed.push(right);
        }
        if (!allowed.includes('SELECT')) {
          for (const column of columns) {
            if ((await outcome(role, `SELECT ${column} FROM ${name} LIMIT 0`)) !== '42501') allowed.push(column);
          }
        }
        cells.push(allowed.join(' '));
      }
      seen[name] = cells as [string, string, string];
    }
    expect(seen).toEqual(matrix);
  });

  it('let readers own nothing', async () => {
    const { rows } = await clients.records.query<{ owner: string }>(
      `SELECT DISTINCT pg_get_userbyid(c.relowner)::text AS owner FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND c.relkind IN ('r', 'p', 'S') ORDER BY 1`,
    );
    expect(rows.map(row => row.owner)).toEqual([owner, access.nameOf('records')]);
    const { rows: powers } = await clients.records.query(
      'SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls AS any FROM pg_roles WHERE rolname = ANY ($1)',
      [[owner, ...roles.map(role => access.nameOf(role))]],
    );
    expect(powers).toEqual(Array.from({ length: 4 }, () => ({ any: false })));
  });

  it.each(roles)('stop these statements for %s, even if a guard lets them through', async role => {
    const { rows } = await clients.records.query('SELECT pg_backend_pid() AS pid');
    const attempts = [...refusedToAll, ...(role === 'records' ? [] : refusedToReaders), ...(role === 'mirror' ? refusedToMirror : [])];
    const outcomes: [string, string][] = [];
    for (const [sql] of attempts) {
      const filled = sql
        .replace('$owner', quoteIdentifier(owner))
        .replace('$me', quoteIdentifier(access.nameOf(role)))
        .replace('$recordsBackend', String(rows[0].pid))
        .replace('$records', quoteIdentifier(access.nameOf('records')));
      outcomes.push([sql, await outcome(role, filled)]);
    }
    expect(outcomes).toEqual(attempts.map(([sql, sqlstate = '42501']) => [sql, sqlstate]));
  });

  it('are those of the mirror alone while a run stages', async () => {
    const attempts = [
      ...refusedToMirror.map(([sql]) => sql),
      'CREATE TABLE mirror.evil (a int)',
      'DELETE FROM mirror.things',
      'SELECT lo_create(0)',
    ];
    const reader = quoteIdentifier(access.nameOf('mirror'));
    for (const sql of attempts) {
      await clients.records.query(
        `BEGIN; CREATE TEMP TABLE staged (id int); GRANT INSERT ON pg_temp.staged TO ${reader}; SET LOCAL ROLE ${reader}`,
      );
      await clients.records.query('INSERT INTO pg_temp.staged SELECT id FROM mirror.things');
      await expect(clients.records.query(sql)).rejects.toMatchObject({ code: '42501' });
      await clients.records.query('ROLLBACK');
    }
  });

  it('let each role in to its own database only', async () => {
    const other = await emptyDatabase();
    const name = new pg.Client(other.url).database!;
    await prepareServer({ createDatabase: () => Promise.resolve(other.url) }, name);
    for (const role of roles) {
      const stranger = new pg.Client(access.on(name)[role]);
      await expect(stranger.connect()).rejects.toMatchObject({ code: '42501' });
    }
    await other.drop();
  });

  it('cover new tables of the mirror without a grant, and remain with the roles that read', async () => {
    await clients.records.query('BEGIN; CREATE TABLE mirror.upload (a int); INSERT INTO mirror.upload VALUES (1); COMMIT');
    expect((await clients.mirror.query('SELECT a FROM upload')).rows).toEqual([{ a: 1 }]);
    expect(await outcome('retrieval', 'SELECT a FROM mirror.upload')).toBe('42501');
    await clients.records.query('DROP TABLE mirror.upload');
  });
});
