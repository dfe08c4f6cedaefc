import { type PoolClient } from 'pg';
import { type NodeMapping } from '../mapping/mapping.js';
import { goodRows, type StagedTarget } from './stage-target.js';
import { deleteEdgesOf } from './write-edges.js';
import { type WriteScope } from './write-scope.js';

/**
 * Brings the graph's nodes of one label in line with the staged rows. Being the only writer, it can update first and insert missing
 * nodes afterwards. That costs one join; ON CONFLICT would cost an index probe and a lost id for every unchanged row.
 */
export async function writeNodes(client: PoolClient, scope: WriteScope, staged: StagedTarget, node: NodeMapping): Promise<void> {
  const { report, plan } = staged;
  const isFirst = !(await labelExists(client, scope, node.label));
  if (!isFirst) {
    report.updated = await updateNodes(client, scope, staged, node);
    if (plan.hasDeletes) report.deleted = await deleteNodes(client, scope, staged, node);
  }
  const absent = isFirst ? '' : `AND NOT EXISTS (SELECT FROM ${scope.nodes} n WHERE n.label = $1 AND n.key = s.key)`;
  const { rowCount } = await client.query(
    `INSERT INTO ${scope.nodes} (label, key, display, properties, run_id)
     SELECT $1, s.key, s.display, s.properties, $2
     FROM pg_temp.${plan.table} s
     WHERE ${goodRows(plan)} ${absent}`,
    [node.label, scope.runId],
  );
  report.inserted = rowCount ?? 0;
  report.unchanged = report.read - report.rejected - report.skipped - report.marked_deleted - report.inserted - report.updated;
  // Edges are joined to these rows next. Without statistics the planner would take the table for empty.
  if (report.inserted > 0) await client.query(`ANALYZE ${scope.nodes} (label, key)`);
}

async function labelExists(client: PoolClient, { nodes }: WriteScope, label: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(`SELECT EXISTS (SELECT FROM ${nodes} WHERE label = $1) AS found`, [label]);
  return rows[0]!.found;
}

async function updateNodes(client: PoolClient, scope: WriteScope, { plan }: StagedTarget, node: NodeMapping): Promise<number> {
  // merge keeps the properties from other jobs. A mapped property that became NULL is removed.
  const mapped = node.columns.map(column => column.property);
  const properties = node.write === 'merge' ? '(n.properties - $3::text[]) || s.properties' : 's.properties';
  const { rowCount } = await client.query(
    `UPDATE ${scope.nodes} n SET display = s.display, properties = ${properties}, run_id = $2
     FROM pg_temp.${plan.table} s
     WHERE n.label = $1 AND n.key = s.key AND ${goodRows(plan)}
       AND (n.display, n.properties) IS DISTINCT FROM (s.display, ${properties})`,
    [node.label, scope.runId, ...(node.write === 'merge' ? [mapped] : [])],
  );
  return rowCount ?? 0;
}

/** Deletes nodes whose row asks for it, with all their edges. A key that another row keeps is kept. */
async function deleteNodes(client: PoolClient, scope: WriteScope, { plan }: StagedTarget, node: NodeMapping): Promise<number> {
  const { rows } = await client.query<{ id: string }>(
    `DELETE FROM ${scope.nodes} n USING pg_temp.${plan.table} s
     WHERE n.label = $1 AND n.key = s.key AND s.gone
       AND NOT EXISTS (SELECT FROM pg_temp.${plan.table} k WHERE k.key = s.key AND ${goodRows(plan, 'k')})
     RETURNING n.id`,
    [node.label],
  );
  if (rows.length === 0) return 0;
  const ids = rows.map(row => row.id);
  await deleteEdgesOf(client, scope, ids);
  return rows.length;
}
