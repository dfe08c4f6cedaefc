import { type PoolClient } from 'pg';
import { type EdgeMapping } from '../mapping/mapping.js';
import { RunFailure } from './run-failure.js';
import { goodRows, markDuplicates, type StagedTarget } from './stage-target.js';
import { type WriteScope } from './write-scope.js';
import { sqlstates, sqlstateOf } from '../../sql/sqlstate.js';

const hashJoinFromRows = 10_000;

/** Joins the staged rows to their nodes by key, twice, and brings the graph's edges of this type in line with them. */
export async function writeEdges(client: PoolClient, scope: WriteScope, staged: StagedTarget, edge: EdgeMapping): Promise<void> {
  const { report, plan } = staged;
  const open = report.read - report.rejected - report.marked_deleted;
  // Keys of several labels share one column, which the planner's estimate of the join ignores. It would look up a million nodes one
  // by one.
  await client.query(`SELECT set_config('enable_nestloop', $1, true)`, [open < hashJoinFromRows ? 'on' : 'off']);
  const isFirst = !(await typeExists(client, scope, edge.type));
  if (!isFirst && plan.hasDeletes) report.deleted = await deleteEdges(client, scope, staged, edge);
  const matched = (isFirst ? await tryInsertAll(client, scope, staged, edge) : null) ?? (await mergeEdges(client, scope, staged, edge));
  if (matched < open - report.skipped) {
    const unmatched = await markUnmatched(client, scope, staged, edge);
    report.rejected += unmatched.rejected + unmatched.failing;
    report.skipped += unmatched.skipped + unmatched.empty;
    const lost = unmatched.rejected + unmatched.failing + unmatched.skipped;
    if (matched === 0 && lost > 0) throw allUnmatched(report.target, lost);
    if (unmatched.failing > 0) throw endsMissing(report.target, unmatched.failing, edge);
  }
}

/**
 * The first load of a type. The graph has no such edges yet, so one INSERT is enough. Returns null when two rows turn out to be one
 * edge: the unique index finds that at no cost, and the slower way decides which of them stays.
 */
async function tryInsertAll(
  client: PoolClient,
  scope: WriteScope,
  { plan, report }: StagedTarget,
  edge: EdgeMapping,
): Promise<number | null> {
  await client.query('SAVEPOINT first_load');
  try {
    const { rowCount } = await client.query(
      `INSERT INTO ${scope.edges} (type, source_id, target_id, key, properties, run_id)
       SELECT $1, a.id, b.id, s.key, s.properties, $2
       FROM pg_temp.${plan.table} s
         JOIN ${scope.nodes} a ON a.label = $3 AND a.key = s.from_key
         JOIN ${scope.nodes} b ON b.label = $4 AND b.key = s.to_key
       WHERE ${goodRows(plan)}`,
      [edge.type, scope.runId, edge.from.label, edge.to.label],
    );
    await client.query('RELEASE SAVEPOINT first_load');
    report.inserted = rowCount ?? 0;
    return report.inserted;
  } catch (error) {
    if (sqlstateOf(error) !== sqlstates.uniqueViolation) throw error;
    await client.query('ROLLBACK TO SAVEPOINT first_load');
    return null;
  }
}

/** The general way: resolves the ends once, then updates, then inserts missing edges. Returns how many rows found both ends. */
async function mergeEdges(client: PoolClient, scope: WriteScope, staged: StagedTarget, edge: EdgeMapping): Promise<number> {
  const { plan, report } = staged;
  await markDuplicates(client, staged);
  await client.query(
    `CREATE TEMPORARY TABLE resolved_edges ON COMMIT DROP AS
     SELECT s.row_no, a.id AS source_id, b.id AS target_id, s.key, s.properties
     FROM pg_temp.${plan.table} s
       JOIN ${scope.nodes} a ON a.label = $1 AND a.key = s.from_key
       JOIN ${scope.nodes} b ON b.label = $2 AND b.key = s.to_key
     WHERE ${goodRows(plan)}`,
    [edge.from.label, edge.to.label],
  );
  await client.query('ANALYZE pg_temp.resolved_edges (source_id, target_id, key)');
  const same = `e.type = $1 AND e.source_id = s.source_id AND e.target_id = s.target_id AND e.key = s.key`;
  const updated = await client.query(
    `UPDATE ${scope.edges} e SET properties = s.properties, run_id = $2
     FROM pg_temp.resolved_edges s
     WHERE ${same} AND e.properties IS DISTINCT FROM s.properties`,
    [edge.type, scope.runId],
  );
  const inserted = await client.query(
    `INSERT INTO ${scope.edges} (type, source_id, target_id, key, properties, run_id)
     SELECT $1, s.source_id, s.target_id, s.key, s.properties, $2
     FROM pg_temp.resolved_edges s
     WHERE NOT EXISTS (SELECT FROM ${scope.edges} e WHERE ${same})`,
    [edge.type, scope.runId],
  );
  const { rows } = await client.query<{ matched: number }>('SELECT count(*)::int AS matched FROM pg_temp.resolved_edges');
  await client.query('DROP TABLE pg_temp.resolved_edges');
  const matched = rows[0]!.matched;
  report.updated = updated.rowCount ?? 0;
  report.inserted = inserted.rowCount ?? 0;
  report.unchanged = matched - report.updated - report.inserted;
  return matched;
}

/** Deletes the edges that begin or end at one of these nodes. */
export async function deleteEdgesOf(client: PoolClient, scope: WriteScope, nodeIds: string[]): Promise<void> {
  await client.query(`DELETE FROM ${scope.edges} WHERE source_id = ANY($1::bigint[])`, [nodeIds]);
  await client.query(`DELETE FROM ${scope.edges} WHERE target_id = ANY($1::bigint[])`, [nodeIds]);
}

interface Unmatched {
  failing: number;
  rejected: number;
  skipped: number;
  empty: number;
}

/**
 * Marks the rows that lack a node at an end: `failures` for ends that quarantine or fail, `duplicate_of = 0` for ends that only
 * skip. The stricter end decides for the row. A row with an empty end is no edge, so it is skipped whatever the mapping says.
 */
async function markUnmatched(client: PoolClient, scope: WriteScope, { plan }: StagedTarget, edge: EdgeMapping): Promise<Unmatched> {
  const { rows } = await client.query<Unmatched>(
    `WITH lost AS (
       SELECT s.row_no, a.id IS NULL AS no_from, b.id IS NULL AS no_to, s.from_key IS NULL OR s.to_key IS NULL AS empty
       FROM pg_temp.${plan.table} s
         LEFT JOIN ${scope.nodes} a ON a.label = $1 AND a.key = s.from_key
         LEFT JOIN ${scope.nodes} b ON b.label = $2 AND b.key = s.to_key
       WHERE ${goodRows(plan)} AND (a.id IS NULL OR b.id IS NULL)
     ), judged AS (
       SELECT *, NOT empty AND ((no_from AND $3 = 'fail') OR (no_to AND $4 = 'fail')) AS failing,
              NOT empty AND ((no_from AND $3 = 'quarantine') OR (no_to AND $4 = 'quarantine')) AS rejected
       FROM lost
     ), marked AS (
       UPDATE pg_temp.${plan.table} s
       SET failures = CASE WHEN j.failing OR j.rejected THEN jsonb_build_object('no_from', j.no_from, 'no_to', j.no_to) END,
           duplicate_of = CASE WHEN j.failing OR j.rejected THEN NULL ELSE 0 END
       FROM judged j WHERE j.row_no = s.row_no
     )
     SELECT (count(*) FILTER (WHERE failing))::int AS failing, (count(*) FILTER (WHERE rejected AND NOT failing))::int AS rejected,
            (count(*) FILTER (WHERE empty))::int AS empty,
            (count(*) FILTER (WHERE NOT rejected AND NOT failing AND NOT empty))::int AS skipped
     FROM judged`,
    [edge.from.label, edge.to.label, edge.from.onMissing, edge.to.onMissing],
  );
  return rows[0]!;
}

function allUnmatched(target: string, rows: number): RunFailure {
  return new RunFailure(
    'all_edges_unmatched',
    {
      zh: `「${target}」读取了 ${rows} 行，没有一行能找到两端的节点；请检查 match 的列`,
      en: `${rows} rows of '${target}' were read and none found the nodes at both ends; check the columns of match`,
    },
    { target, rows },
  );
}

function endsMissing(target: string, rows: number, edge: EdgeMapping): RunFailure {
  const { label } = edge.from.onMissing === 'fail' ? edge.from : edge.to;
  return new RunFailure(
    'edges_unmatched',
    {
      zh: `「${target}」有 ${rows} 行找不到节点「${label}」，而 on_missing 为 fail`,
      en: `${rows} rows of '${target}' found no node ${label}, and on_missing is fail`,
    },
    { target, rows },
  );
}

async function typeExists(client: PoolClient, { edges }: WriteScope, type: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(`SELECT EXISTS (SELECT FROM ${edges} WHERE type = $1) AS found`, [type]);
  return rows[0]!.found;
}

/** Deletes edges whose row asks for it. */
async function deleteEdges(client: PoolClient, scope: WriteScope, { plan }: StagedTarget, edge: EdgeMapping): Promise<number> {
  const { rowCount } = await client.query(
    `DELETE FROM ${scope.edges} e
     USING pg_temp.${plan.table} s, ${scope.nodes} a, ${scope.nodes} b
     WHERE s.gone AND a.label = $2 AND a.key = s.from_key AND b.label = $3 AND b.key = s.to_key
       AND e.type = $1 AND e.source_id = a.id AND e.target_id = b.id AND e.key = s.key`,
    [edge.type, edge.from.label, edge.to.label],
  );
  return rowCount ?? 0;
}
