import type { PoolClient } from 'pg';
import { quoteIdentifier } from '../../database/quote-identifier.js';
import type { NodeMapping } from '../mapping/mapping.js';
import { goodRows, type StagedTarget } from './stage-target.js';

/** Where a run writes. The caller holds the lock that makes it the graph's only writer. */
export interface WriteScope {
  graphId: number;
  runId: number;
  nodes: string;
  edges: string;
}

export function writeScope(graphId: number, runId: number): WriteScope {
  return { graphId, runId, nodes: quoteIdentifier(`nodes_${graphId}`), edges: quoteIdentifier(`edges_${graphId}`) };
}

/**
 * Brings the graph's nodes of one label in line with the staged rows. Being the only writer, it can update first and insert what is
 * missing, which costs one join where ON CONFLICT would cost an index probe and a burnt id for every unchanged row.
 */
export async function writeNodes(client: PoolClient, scope: WriteScope, staged: StagedTarget, node: NodeMapping): Promise<void> {
  const { report, plan } = staged;
  const isFirst = !(await labelExists(client, scope, node.label));
  if (!isFirst) {
    report.updated = await updateNodes(client, scope, staged, node);
    if (plan.hasDeletes) report.deleted = await deleteNodes(client, scope, staged, node);
  }
  const absent = isFirst ? '' : `AND NOT EXISTS (SELECT FROM ${scope.nodes} n WHERE n.graph_id = $1 AND n.label = $2 AND n.key = s.key)`;
  const { rowCount } = await client.query(
    `INSERT INTO ${scope.nodes} (graph_id, label, key, display, properties, run_id)
     SELECT $1, $2, s.key, s.display, s.properties, $3
     FROM pg_temp.${plan.table} s
     WHERE ${goodRows(plan)} ${absent}`,
    [scope.graphId, node.label, scope.runId],
  );
  report.inserted = rowCount ?? 0;
  report.unchanged = report.read - report.rejected - report.skipped - report.marked_deleted - report.inserted - report.updated;
  // Edges are joined to these rows next; without statistics the planner would take the partition for empty.
  if (report.inserted > 0) await client.query(`ANALYZE ${scope.nodes} (label, key)`);
}

async function labelExists(client: PoolClient, { graphId, nodes }: WriteScope, label: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(
    `SELECT EXISTS (SELECT FROM ${nodes} WHERE graph_id = $1 AND label = $2) AS found`,
    [graphId, label],
  );
  return rows[0]!.found;
}

async function updateNodes(client: PoolClient, scope: WriteScope, { plan }: StagedTarget, node: NodeMapping): Promise<number> {
  // merge keeps what other jobs gave the node; a mapped property that became NULL goes.
  const mapped = node.columns.map(column => column.property);
  const properties = node.write === 'merge' ? '(n.properties - $4::text[]) || s.properties' : 's.properties';
  const { rowCount } = await client.query(
    `UPDATE ${scope.nodes} n SET display = s.display, properties = ${properties}, run_id = $3
     FROM pg_temp.${plan.table} s
     WHERE n.graph_id = $1 AND n.label = $2 AND n.key = s.key AND ${goodRows(plan)}
       AND (n.display, n.properties) IS DISTINCT FROM (s.display, ${properties})`,
    [scope.graphId, node.label, scope.runId, ...(node.write === 'merge' ? [mapped] : [])],
  );
  return rowCount ?? 0;
}

/** Nodes whose row asks for it, with all their edges. A key that another row keeps is kept. */
async function deleteNodes(client: PoolClient, scope: WriteScope, { plan }: StagedTarget, node: NodeMapping): Promise<number> {
  const { rows } = await client.query<{ id: string }>(
    `DELETE FROM ${scope.nodes} n USING pg_temp.${plan.table} s
     WHERE n.graph_id = $1 AND n.label = $2 AND n.key = s.key AND s.gone
       AND NOT EXISTS (SELECT FROM pg_temp.${plan.table} k WHERE k.key = s.key AND ${goodRows(plan, 'k')})
     RETURNING n.id`,
    [scope.graphId, node.label],
  );
  if (rows.length === 0) return 0;
  const ids = rows.map(row => row.id);
  await client.query(`DELETE FROM ${scope.edges} WHERE graph_id = $1 AND source_id = ANY($2::bigint[])`, [scope.graphId, ids]);
  await client.query(`DELETE FROM ${scope.edges} WHERE graph_id = $1 AND target_id = ANY($2::bigint[])`, [scope.graphId, ids]);
  return rows.length;
}
