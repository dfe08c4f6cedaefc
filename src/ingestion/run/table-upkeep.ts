import { type PoolClient } from 'pg';
import { type GraphTables } from '../../database/graph-tables.js';
import { type RunReport, type RunWarning } from './run-report.js';
import { sqlstates, sqlstateOf } from '../../sql/sqlstate.js';

const analyzeTimeoutMs = 300_000;
const vacuumTimeoutMs = 1_800_000;
/**
 * The share of a table that a run must rewrite before upkeep. Autovacuum would also notice it, but up to a minute later and after
 * every other table.
 */
const rewrittenShare = 0.2;
const rewrittenRows = 1_000;

/**
 * Renews the statistics inside the writing transaction. They become visible with the rows, so no query is planned with the
 * statistics of the old graph. ANALYZE reads 30,000 rows at most. Null when it succeeded; a failure costs the run a warning, not
 * its rows.
 * @throws when the run was cancelled
 */
export async function analyzeTables(client: PoolClient, { nodes, edges }: GraphTables): Promise<RunWarning | null> {
  await client.query(`SAVEPOINT statistics; SET LOCAL statement_timeout = ${analyzeTimeoutMs}`);
  try {
    await client.query(`ANALYZE ${nodes}, ${edges}`);
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

/** The work left for a graph's tables after a run has committed. */
export interface Upkeep {
  tables: GraphTables;
  analyze: Table[];
  vacuum: Table[];
}

/** The tables of which the run changed or deleted a fifth. */
export async function rewrittenTables(client: PoolClient, tables: GraphTables, { targets }: RunReport): Promise<Table[]> {
  const rewritten = { nodes: 0, edges: 0 };
  for (const { kind, updated, deleted, shared, edges_removed: removed } of targets) {
    rewritten[kind === 'node' ? 'nodes' : 'edges'] += updated + deleted + shared;
    rewritten.edges += removed;
  }
  const found: Table[] = [];
  for (const table of ['nodes', 'edges'] as const) {
    if (rewritten[table] < rewrittenRows) continue;
    const { rows } = await client.query<{ rows: number }>(
      'SELECT reltuples::float8 AS rows FROM pg_catalog.pg_class WHERE oid = $1::regclass',
      [tables[table]],
    );
    if (rewritten[table] >= rewrittenShare * (rows[0]?.rows ?? 0)) found.push(table);
  }
  return found;
}

/**
 * VACUUM frees the space of rewritten rows, for the next run to fill. It cannot run in a transaction. Readers go on, and the next
 * run of the graph waits for it.
 */
export async function keepUp(client: PoolClient, { tables, analyze, vacuum }: Upkeep): Promise<void> {
  await client.query(`SET statement_timeout = ${vacuumTimeoutMs}`);
  for (const table of analyze) await client.query(`ANALYZE ${tables[table]}`);
  for (const table of vacuum) await client.query(`VACUUM ${tables[table]}`);
  await client.query('RESET statement_timeout');
}
