import { type PoolClient } from 'pg';
import { SqlParameters } from '../../sql/sql-parameters.js';
import { type EdgeEnd, type EdgeMapping } from '../mapping/mapping.js';
import { type Ownership, propertiesOf } from './ownership.js';
import { type StagedTarget } from './stage-target.js';
import { findsFor } from './stub-ends.js';
import { type WriteScope } from './write-scope.js';

const hashJoinFromRows = 10_000;
/** The share of the graph's rows from which a hash join is used. One lookup by index takes about as long as scanning twenty rows. */
const hashJoinFromShare = 0.05;

/**
 * Chooses the join by which `count` staged rows find their rows in the graph. The keys of all labels share one column. The planner ignores
 * this when it estimates the join, and without this choice it would look up a million nodes one by one.
 * @returns true for a hash join
 */
export async function joinFor(client: PoolClient, { nodes, edges }: WriteScope, count: number): Promise<boolean> {
  const { rows } = await client.query<{ byHash: boolean }>(
    `SELECT set_config('enable_nestloop', CASE WHEN by_hash THEN 'off' ELSE 'on' END, true), by_hash AS "byHash"
     FROM (
       SELECT $1 >= greatest($2, $3 * sum(reltuples)) AS by_hash FROM pg_class WHERE oid IN ($4::regclass, $5::regclass)
     ) AS chosen`,
    [count, hashJoinFromRows, hashJoinFromShare, nodes, edges],
  );
  return rows[0]!.byHash;
}

/**
 * SQL for the nodes of a label that the end of an edge may find, to be joined by key. In a hash join, OFFSET 0 makes the planner estimate
 * this subquery alone: the number of its nodes, and that each key occurs once. Without it the planner would expect few matches, and would
 * hash the wide staged rows instead of these nodes.
 */
export function nodesOf({ nodes }: WriteScope, label: string, byHash: boolean, end: EdgeEnd): string {
  return `(SELECT n.id, n.key FROM ${nodes} n WHERE n.label = ${label}${findsFor(end, 'n')}${byHash ? ' OFFSET 0' : ''})`;
}

/**
 * Makes the temporary table `resolved_edges`, with a row for each staged row that finds both ends. A row has properties only if its edge
 * `is_missing` or `is_changed`, so the rows without changes, which are usually almost all, stay narrow.
 */
export async function resolveEdges(
  client: PoolClient,
  scope: WriteScope,
  { plan }: StagedTarget,
  edge: EdgeMapping,
  ownership: Ownership,
  byHash: boolean,
): Promise<{ matched: number; changed: number; missing: number }> {
  const sql = new SqlParameters();
  const properties = ownership.isShared
    ? `(e.properties - ${sql.bind(propertiesOf(edge.columns), 'text[]')} - ${ownership.ownOnly(sql, 'e', ownership.dropped(edge.columns))}) || s.properties`
    : 's.properties';
  const [from, to, type] = [edge.from.label, edge.to.label, edge.type].map(value => sql.bind(value, 'text')) as [string, string, string];
  // The source still has a rejected row. The row is resolved so that its edge is not removed, but it is not written.
  await client.query(
    `CREATE TEMPORARY TABLE resolved_edges ON COMMIT DROP AS
     SELECT is_good, source_id, target_id, key, is_missing, is_changed, CASE WHEN is_missing OR is_changed THEN properties END AS properties
     FROM (
       SELECT *, is_good AND NOT is_missing AND before IS DISTINCT FROM properties AS is_changed
       FROM (
         SELECT s.failures IS NULL AS is_good, a.id AS source_id, b.id AS target_id, s.key, e.properties AS before,
                s.failures IS NULL AND e.id IS NULL AS is_missing, CASE WHEN e.id IS NULL THEN s.properties ELSE ${properties} END AS properties
         FROM pg_temp.${plan.table} s
           JOIN ${nodesOf(scope, from, byHash, edge.from)} a ON a.key = s.from_key
           JOIN ${nodesOf(scope, to, byHash, edge.to)} b ON b.key = s.to_key
           LEFT JOIN ${scope.edges} e ON e.type = ${type} AND e.source_id = a.id AND e.target_id = b.id AND e.key = s.key
         WHERE s.duplicate_of IS NULL${plan.hasDeletes ? ' AND NOT s.gone' : ''}
         OFFSET 0
       ) AS found
       OFFSET 0
     ) AS compared`,
    sql.values,
  );
  await client.query('ANALYZE pg_temp.resolved_edges (is_good, source_id, target_id, key, is_missing, is_changed)');
  const { rows } = await client.query<{ matched: number; changed: number; missing: number }>(
    `SELECT (count(*) FILTER (WHERE is_good))::int AS matched, (count(*) FILTER (WHERE is_changed))::int AS changed,
            (count(*) FILTER (WHERE is_missing))::int AS missing
     FROM pg_temp.resolved_edges`,
  );
  return rows[0]!;
}
