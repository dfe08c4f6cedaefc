import { type PoolClient } from 'pg';
import { type GraphTables } from '../../database/graph-tables.js';
import { type RunReport, type RunWarning } from './run-report.js';
import { sqlstates, sqlstateOf } from '../../sql/sqlstate.js';

const analyzeTimeoutMs = 300_000;
const vacuumTimeoutMs = 1_800_000;
/**
 * The share of a table that a run must rewrite for the table to get upkeep. Autovacuum would notice the rewritten rows too, but up to a
 * minute later, and would first treat other tables.
 */
const rewrittenShare = 0.2;
const rewrittenRows = 1_000;
/** The share of a table that a run must change for its statistics to be renewed. Smaller changes are left to autovacuum. */
const analyzedShare = 0.05;

/**
 * Renews the statistics of tables inside the writing transaction. They become visible together with the new rows, so no query is planned
 * with the statistics of the old graph. ANALYZE reads at most 30,000 rows. If it fails, the run gets a warning but keeps its rows.
 * @returns the warning; null when the statistics were renewed
 * @throws when the run was cancelled
 */
export async function analyzeTables(client: PoolClient, tables: GraphTables, analyze: Table[]): Promise<RunWarning | null> {
  if (analyze.length === 0) return null;
  await client.query(`SAVEPOINT statistics; SET LOCAL statement_timeout = ${analyzeTimeoutMs}`);
  try {
    await client.query(`ANALYZE ${analyze.map(table => tables[table]).join(', ')}`);
    await client.query('RELEASE SAVEPOINT statistics');
    return null;
  } catch (error) {
    const sqlstate = sqlstateOf(error);
    if (sqlstate === '' || sqlstate === sqlstates.queryCanceled) throw error;
    await client.query('ROLLBACK TO SAVEPOINT statistics');
    return {
      code: 'statistics_not_renewed',
      target: '',
      count: 0,
      sqlstate,
      message:
        '未能更新统计信息，将再试一次；在此之前查询可能较慢 / The statistics could not be renewed and are tried once more; until then queries may be slow',
    };
  }
}

type Table = keyof GraphTables;

const tableNames = ['nodes', 'edges'] as const;

/** The upkeep that a graph's tables need after a run has committed. */
export interface Upkeep {
  tables: GraphTables;
  analyze: Table[];
  vacuum: Table[];
}

/** The tables whose statistics must be renewed, because the run changed more than 5 % of their rows. */
export async function outdatedTables(client: PoolClient, tables: GraphTables, report: RunReport): Promise<Table[]> {
  const changed = changedRows(report);
  const stored = await storedRows(client, tables);
  return tableNames.filter(table => changed[table].all > analyzedShare * stored[table]);
}

/** The tables in which the run updated or deleted at least a fifth of the rows, and at least 1,000 rows. */
export async function rewrittenTables(client: PoolClient, tables: GraphTables, report: RunReport): Promise<Table[]> {
  const changed = changedRows(report);
  const stored = await storedRows(client, tables);
  return tableNames.filter(table => changed[table].rewritten >= Math.max(rewrittenRows, rewrittenShare * stored[table]));
}

function changedRows({ targets }: RunReport): Record<Table, { all: number; rewritten: number }> {
  const changed = { nodes: { all: 0, rewritten: 0 }, edges: { all: 0, rewritten: 0 } };
  const add = (table: Table, inserted: number, rewritten: number) => {
    changed[table].all += inserted + rewritten;
    changed[table].rewritten += rewritten;
  };
  for (const { kind, inserted, updated, deleted, shared, lost_properties: lost, stubs_created: stubs, edges_removed: removed } of targets) {
    add(kind === 'node' ? 'nodes' : 'edges', inserted, updated + deleted + shared + lost);
    add('nodes', stubs, 0);
    add('edges', 0, removed);
  }
  return changed;
}

/** The number of rows of each table by PostgreSQL's statistics. A table without statistics counts as empty. */
async function storedRows(client: PoolClient, { nodes, edges }: GraphTables): Promise<Record<Table, number>> {
  const { rows } = await client.query<Record<Table, number>>(
    `SELECT greatest(n.reltuples, 0)::float8 AS nodes, greatest(e.reltuples, 0)::float8 AS edges
     FROM pg_catalog.pg_class n, pg_catalog.pg_class e WHERE n.oid = $1::regclass AND e.oid = $2::regclass`,
    [nodes, edges],
  );
  return rows[0]!;
}

/**
 * Analyzes and vacuums tables, outside of any transaction, as VACUUM demands. VACUUM frees the space of rewritten rows for the next run.
 * Readers are not blocked; the next run of the graph waits.
 */
export async function keepUp(client: PoolClient, { tables, analyze, vacuum }: Upkeep): Promise<void> {
  await client.query(`SET statement_timeout = ${vacuumTimeoutMs}`);
  for (const table of analyze) await client.query(`ANALYZE ${tables[table]}`);
  for (const table of vacuum) await client.query(`VACUUM ${tables[table]}`);
  await client.query('RESET statement_timeout');
}
