import { type PoolClient } from 'pg';
import { isStub } from '../../database/graph-tables.js';
import { SqlParameters } from '../../sql/sql-parameters.js';
import { type EdgeMapping, type NodeMapping } from '../mapping/mapping.js';
import { jsonbObject } from '../staging/jsonb-sql.js';
import { type Ownership, propertiesOf } from './ownership.js';
import { countGoing, countLosing, type Removal } from './removal.js';
import { goodCount, type TargetReport } from './run-report.js';
import { showingCount } from '../staging/shown-count.js';
import { goodRows, type StagedTarget } from './stage-target.js';
import { joinFor } from './resolve-edges.js';
import { findsFor, fitsStub, keyParts, type StubEnds } from './stub-ends.js';
import { deleteEdgesOf } from './write-edges.js';
import { addRows, labelElement } from './write-elements.js';
import { type WriteScope } from './write-scope.js';

/**
 * Brings the graph's nodes of one label in line with the staged rows. No other session writes to the graph meanwhile, so nodes can be
 * updated first and missing nodes inserted afterwards. This order costs one join; ON CONFLICT would cost an index probe and a lost id for
 * every unchanged row.
 */
export async function writeNodes(
  client: PoolClient,
  scope: WriteScope,
  staged: StagedTarget,
  node: NodeMapping,
  ownership: Ownership,
  removal: Removal,
): Promise<void> {
  const { report, plan, progress } = staged;
  const isFirst = !(await labelExists(client, scope, node.label));
  let claimed = 0;
  if (!isFirst) {
    if (ownership.hasStubs) report.updated = await claimStubs(client, scope, staged, node, ownership);
    if (ownership.isShared) report.shared = await shareNodes(client, scope, staged, ownership);
    claimed = report.updated;
    report.updated += await updateNodes(client, scope, staged, node, ownership);
  }
  const absent = isFirst ? '' : `AND NOT EXISTS (SELECT FROM ${scope.nodes} n WHERE n.label = $1 AND n.key = s.key)`;
  if (isFirst) {
    progress.expect({ rows: goodCount(report), from: 'exact' });
    scope.changes.expect(goodCount(report));
  }
  report.inserted = await progress.counting('nodes', () =>
    scope.changes.make(
      client,
      'nodes',
      `INSERT INTO ${scope.nodes} AS n (label, key, display, properties, run_id, owners, labels)
       SELECT $1, s.key, s.display, s.properties, ${showingCount('$2::int', 'nodes')}, $3, ${stagedLabels(node)}
       FROM pg_temp.${plan.table} s
       WHERE ${goodRows(plan)} ${absent}`,
      [node.label, scope.runId, ownership.ofNewRows],
    ),
  );
  report.unchanged = goodCount(report) - report.inserted - report.updated;
  if (!isFirst && removal.of !== 'none') await removeNodes(client, scope, staged, ownership, removal, claimed);
  // Nodes that the job gave up have lost their dropped properties in `removeNodes`, so `removeDropped` does not count them again.
  if (!isFirst) report.lost_properties += await removeDropped(client, scope, node, ownership);
  // The edges are joined to the inserted nodes next. Without new statistics the planner would take the table of nodes for empty.
  if (report.inserted > 0) await client.query(`ANALYZE ${scope.nodes} (label, key)`);
}

async function labelExists(client: PoolClient, { nodes }: WriteScope, label: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(`SELECT EXISTS (SELECT FROM ${nodes} WHERE label = $1) AS found`, [label]);
  return rows[0]!.found;
}

/** Turns the stubs whose rows were read into nodes of this job. Returns their number. */
async function claimStubs(
  client: PoolClient,
  scope: WriteScope,
  { plan }: StagedTarget,
  node: NodeMapping,
  ownership: Ownership,
): Promise<number> {
  return scope.changes.make(
    client,
    'nodes',
    `UPDATE ${scope.nodes} n SET display = s.display, properties = s.properties, labels = ${stagedLabels(node)}, run_id = $2, owners = $3
     FROM pg_temp.${plan.table} s
     WHERE n.label = $1 AND n.key = s.key AND ${goodRows(plan)} AND ${isStub('n')}`,
    [ownership.element.name, scope.runId, ownership.ofNewRows],
  );
}

/** Adds the job to the owners of nodes that other jobs yield and this job now yields too. Returns the number of nodes. */
async function shareNodes(client: PoolClient, scope: WriteScope, { plan }: StagedTarget, ownership: Ownership): Promise<number> {
  const sql = new SqlParameters();
  return scope.changes.make(
    client,
    'nodes',
    `UPDATE ${scope.nodes} n SET owners = ${ownership.owners(sql, 'n')} || ${sql.bind(ownership.jobId, 'int')}
     FROM pg_temp.${plan.table} s
     WHERE n.label = ${sql.bind(ownership.element.name, 'text')} AND n.key = s.key AND ${goodRows(plan)}
       AND NOT ${ownership.isOwned(sql, 'n')}`,
    sql.values,
  );
}

async function updateNodes(
  client: PoolClient,
  scope: WriteScope,
  { plan }: StagedTarget,
  node: NodeMapping,
  ownership: Ownership,
): Promise<number> {
  const sql = new SqlParameters();
  // `merge` keeps the properties that come from other jobs. A mapped property whose new value is NULL is removed. A property that this job
  // no longer maps is removed, unless another owner of the node maps it.
  const properties =
    ownership.isShared && node.write === 'merge'
      ? `(n.properties - ${sql.bind(propertiesOf(node.columns), 'text[]')} - ${ownership.ownOnly(sql, 'n', ownership.dropped(node.columns))}) || s.properties`
      : 's.properties';
  const labels = labelsAfter(sql, node, ownership);
  const isChanged = labels === null ? '' : ` OR n.labels <> ${labels}`;
  return scope.changes.make(
    client,
    'nodes',
    `UPDATE ${scope.nodes} n
     SET display = s.display, properties = ${properties}, run_id = ${sql.bind(scope.runId, 'int')}${labels === null ? '' : `, labels = ${labels}`}
     FROM pg_temp.${plan.table} s
     WHERE n.label = ${sql.bind(node.label, 'text')} AND n.key = s.key AND ${goodRows(plan)}
       AND ((n.display, n.properties) IS DISTINCT FROM (s.display, ${properties})${isChanged})`,
    sql.values,
  );
}

/** SQL for the further labels of a staged row. */
function stagedLabels({ labels }: NodeMapping): string {
  return labels.length === 0 ? `'{}'::text[]` : 's.labels';
}

/**
 * SQL for the further labels of a node after its row is written, sorted by their bytes. As with properties, `merge` keeps the labels of
 * other jobs and removes labels that this job no longer maps. Null if the labels cannot change.
 */
function labelsAfter(sql: SqlParameters, node: NodeMapping, ownership: Ownership): string | null {
  const dropped = ownership.droppedLabels(node.labels);
  const isMerged = ownership.isShared && node.write === 'merge';
  if (node.labels.length + dropped.length === 0 && (isMerged || !ownership.hasOthersLabels)) return null;
  if (!isMerged) return stagedLabels(node);
  const mapped = sql.bind(
    node.labels.map(({ name }) => name),
    'text[]',
  );
  const removed = `${mapped} || ${ownership.ownOnly(sql, 'n', dropped, 'labels')}`;
  return `ARRAY(SELECT l FROM (SELECT l FROM unnest(n.labels) AS l WHERE l <> ALL (${removed}) UNION SELECT unnest(${stagedLabels(node)})) AS u
                ORDER BY l COLLATE "C")`;
}

/** SQL for the further labels of node `n` without the labels in `names`, which is SQL of a text array. */
function labelsWithout(names: string): string {
  return `ARRAY(SELECT l FROM unnest(n.labels) WITH ORDINALITY AS u (l, place) WHERE l <> ALL (${names}) ORDER BY place)`;
}

/**
 * Removes properties and labels that the job no longer maps from those nodes of the job that no row has rewritten. Returns the number of
 * changed nodes.
 */
async function removeDropped(client: PoolClient, scope: WriteScope, node: NodeMapping, ownership: Ownership): Promise<number> {
  const [names, labelNames] = [ownership.dropped(node.columns), ownership.droppedLabels(node.labels)];
  if (names.length + labelNames.length === 0) return 0;
  const sql = new SqlParameters();
  const properties = `n.properties - ${ownership.ownOnly(sql, 'n', names)}`;
  const labels = labelsWithout(ownership.ownOnly(sql, 'n', labelNames, 'labels'));
  return scope.changes.make(
    client,
    'nodes',
    `UPDATE ${scope.nodes} n SET properties = ${properties}, labels = ${labels}, run_id = ${sql.bind(scope.runId, 'int')}
     WHERE n.label = ${sql.bind(node.label, 'text')} AND ${ownership.isOwned(sql, 'n')}
       AND (n.properties ?| ${sql.bind(names, 'text[]')} OR n.labels && ${sql.bind(labelNames, 'text[]')})
       AND (${properties}, ${labels}) IS DISTINCT FROM (n.properties, n.labels)`,
    sql.values,
  );
}

async function removeNodes(
  client: PoolClient,
  scope: WriteScope,
  { plan, report }: StagedTarget,
  ownership: Ownership,
  { of, guard }: Removal,
  claimed: number,
): Promise<void> {
  const label = ownership.element.name;
  const seen = report.inserted + report.updated + report.unchanged;
  const owned = of === 'unseen' ? await countOwned(client, scope, ownership) : 0;
  // Each row that was written is a node of the job. If the job has as many nodes as rows were written, there is nothing to remove, and an
  // unchanged run is spared a join.
  if (of === 'unseen' && owned === seen) return;
  const sql = new SqlParameters();
  const isGone = plan.hasDeletes ? 's.gone' : 'false';
  // The source still has the row of a rejected node, so the node in the graph stays unchanged.
  const leaves =
    of === 'unseen'
      ? `NOT EXISTS (SELECT FROM pg_temp.${plan.table} s WHERE s.key = n.key AND NOT ${isGone})`
      : `EXISTS (SELECT FROM pg_temp.${plan.table} s WHERE s.key = n.key AND s.gone)
         AND NOT EXISTS (SELECT FROM pg_temp.${plan.table} s WHERE s.key = n.key AND ${goodRows(plan)})`;
  await client.query(
    `CREATE TEMPORARY TABLE leaving_nodes ON COMMIT DROP AS
     SELECT n.id, ${ownership.leaving(sql, 'n')} FROM ${scope.nodes} n
     WHERE n.label = ${sql.bind(label, 'text')} AND ${ownership.isOwned(sql, 'n')} AND ${leaves}`,
    sql.values,
  );
  const had = owned - report.inserted - report.shared - claimed;
  if (of === 'marked' || guard.permits(report, had, await countGoing(client, 'leaving_nodes'))) {
    await releaseNodes(client, scope, ownership, report);
  } else await client.query('DROP TABLE pg_temp.leaving_nodes');
}

async function countOwned(client: PoolClient, scope: WriteScope, ownership: Ownership): Promise<number> {
  const sql = new SqlParameters();
  const { rows } = await client.query<{ owned: number }>(
    `SELECT count(*)::int AS owned FROM ${scope.nodes} n
     WHERE n.label = ${sql.bind(ownership.element.name, 'text')} AND ${ownership.isOwned(sql, 'n')}`,
    sql.values,
  );
  return rows[0]!.owned;
}

/**
 * Ends a job's ownership of all nodes of a label that the job no longer maps. If no other job yields the label, all its nodes are deleted,
 * stubs included.
 */
export async function releaseLabel(client: PoolClient, scope: WriteScope, ownership: Ownership, report: TargetReport): Promise<void> {
  const sql = new SqlParameters();
  await client.query(
    `CREATE TEMPORARY TABLE leaving_nodes ON COMMIT DROP AS
     SELECT n.id, ${ownership.leaving(sql, 'n')} FROM ${scope.nodes} n
     WHERE n.label = ${sql.bind(ownership.element.name, 'text')} AND ${ownership.isShared ? ownership.isOwned(sql, 'n') : 'true'}`,
    sql.values,
  );
  await releaseNodes(client, scope, ownership, report);
}

/**
 * Ends the job's ownership of the nodes in `leaving_nodes`. Nodes that another job yields stay, without the properties that only this job
 * mapped. All other nodes are deleted, together with all their edges.
 */
async function releaseNodes(client: PoolClient, scope: WriteScope, ownership: Ownership, report: TargetReport): Promise<void> {
  await client.query('ANALYZE pg_temp.leaving_nodes');
  if (ownership.isShared) {
    const sql = new SqlParameters();
    await scope.changes.make(
      client,
      'nodes',
      `UPDATE ${scope.nodes} n
       SET owners = ${ownership.ownersLeft(sql, 'n')}, run_id = ${ownership.runOfOwnersLeft(sql, 'n')},
           properties = n.properties - ${ownership.ownOnly(sql, 'n', ownership.mappedBefore ?? [])},
           labels = ${labelsWithout(ownership.ownOnly(sql, 'n', ownership.labelsBefore, 'labels'))}
       FROM pg_temp.leaving_nodes l WHERE l.stays AND n.id = l.id`,
      sql.values,
    );
    report.lost_properties += await countLosing(client, 'leaving_nodes');
  }
  report.edges_removed = await deleteEdgesOf(client, scope);
  report.deleted = await scope.changes.make(
    client,
    'nodes',
    `DELETE FROM ${scope.nodes} n USING pg_temp.leaving_nodes l WHERE NOT l.stays AND n.id = l.id`,
  );
  await client.query('DROP TABLE pg_temp.leaving_nodes');
}

/**
 * Inserts stubs for missing nodes at the ends of edges with `on_missing: create`, from rows whose other end is in the graph or can become a
 * stub too. A stub has only its key properties, and no owners.
 */
export async function makeStubs(
  client: PoolClient,
  scope: WriteScope,
  staged: StagedTarget,
  edge: EdgeMapping,
  ends: StubEnds,
): Promise<void> {
  const { plan, report } = staged;
  for (const [end, other] of [
    ['from', 'to'],
    ['to', 'from'],
  ] as const) {
    const properties = ends[end];
    if (!properties) continue;
    await joinFor(client, scope, report.read);
    const { label } = edge[end];
    const sql = new SqlParameters();
    const named = keyParts(properties, 'k.key').map(({ json }, index) => `${sql.bind(properties[index]!.property, 'text')}, ${json}`);
    const made = await scope.changes.make(
      client,
      'nodes',
      `INSERT INTO ${scope.nodes} AS n (label, key, display, properties, run_id, owners)
       SELECT ${sql.bind(label, 'text')}, k.key, k.key, ${jsonbObject(named)}, ${sql.bind(scope.runId, 'int')}, '{}'
       FROM (
         SELECT DISTINCT s.${end}_key AS key
         FROM pg_temp.${plan.table} s
           LEFT JOIN ${scope.nodes} o ON o.label = ${sql.bind(edge[other].label, 'text')} AND o.key = s.${other}_key${findsFor(edge[other], 'o')}
         WHERE ${goodRows(plan)} AND s.${end}_key IS NOT NULL AND s.${other}_key IS NOT NULL
           AND (o.id IS NOT NULL OR ${fitsStub(ends[other], `s.${other}_key`)}) AND ${fitsStub(properties, `s.${end}_key`)}
           AND NOT EXISTS (SELECT FROM ${scope.nodes} n WHERE n.label = ${sql.bind(label, 'text')} AND n.key = s.${end}_key)
         OFFSET 0
       ) k`,
      sql.values,
    );
    if (made === 0) continue;
    report.stubs_created += made;
    staged.stubs.set(label, (staged.stubs.get(label) ?? 0) + made);
    await client.query(`ANALYZE ${scope.nodes} (label, key)`);
  }
}

/** Deletes the stubs that have lost their last edge, and returns their number. */
export async function removeLooseStubs(client: PoolClient, scope: WriteScope): Promise<number> {
  const { rows } = await client.query<{ label: string; removed: number; ids: string[] }>(
    `WITH removed AS (
       DELETE FROM ${scope.nodes} n
       WHERE ${isStub('n')} AND NOT EXISTS (SELECT FROM ${scope.edges} e WHERE e.source_id = n.id)
         AND NOT EXISTS (SELECT FROM ${scope.edges} e WHERE e.target_id = n.id)
       RETURNING n.id, n.label
     )
     SELECT label, count(*)::int AS removed, array_agg(id)::text[] AS ids FROM removed GROUP BY label`,
  );
  for (const { ids } of rows) scope.changes.note('nodes', { ids, sources: [] });
  for (const { label, removed } of rows) await addRows(client, scope, labelElement(label), -removed);
  return rows.reduce((sum, { removed }) => sum + removed, 0);
}
