import { type PoolClient } from 'pg';
import { SqlParameters } from '../../sql/sql-parameters.js';
import { type EdgeMapping } from '../mapping/mapping.js';
import { type StubEnds } from './stub-ends.js';
import { markUnmatched, requireMatches } from './mark-unmatched.js';
import { showingCount } from '../staging/shown-count.js';
import { type Ownership } from './ownership.js';
import { goodCount, type TargetReport } from './run-report.js';
import { goodRows, markDuplicates, type StagedTarget } from './stage-target.js';
import { indexedAfter } from './load-apart.js';
import { joinFor, nodesOf, resolveEdges } from './resolve-edges.js';
import { countLostEdges } from './write-elements.js';
import { countGoing, countLosing, type Removal } from './removal.js';
import { type WriteScope } from './write-scope.js';
import { sqlstates, sqlstateOf } from '../../sql/sqlstate.js';

/** Brings the graph's edges of one type in line with the staged rows. Each row is joined by key to the nodes at both ends. */
export async function writeEdges(
  client: PoolClient,
  scope: WriteScope,
  staged: StagedTarget,
  edge: EdgeMapping,
  ownership: Ownership,
  removal: Removal,
  ends: StubEnds,
): Promise<void> {
  const { report } = staged;
  const open = report.read - report.rejected - report.marked_deleted;
  const byHash = await joinFor(client, scope, open);
  const isFirst = !(await typeExists(client, scope, edge.type));
  const inserted = isFirst ? await tryInsertAll(client, scope, staged, edge, ownership, byHash) : null;
  const matched = inserted ?? (await mergeEdges(client, scope, staged, edge, ownership, removal, byHash));
  if (matched < open - report.skipped) {
    const unmatched = await markUnmatched(client, scope, staged, edge, ends);
    report.rejected += unmatched.rejected + unmatched.failing;
    report.skipped += unmatched.skipped + unmatched.empty + unmatched.repeated;
    staged.duplicates += unmatched.repeated;
    requireMatches(report.target, edge, matched, unmatched);
  }
}

/**
 * Inserts the edges of a type that the graph does not have yet, in one INSERT. Returns the number of edges, or null when two rows are the
 * same edge. The unique index finds such rows at no extra cost, and `mergeEdges` then decides which row stays.
 */
async function tryInsertAll(
  client: PoolClient,
  scope: WriteScope,
  { plan, report, progress }: StagedTarget,
  edge: EdgeMapping,
  ownership: Ownership,
  byHash: boolean,
): Promise<number | null> {
  await client.query('SAVEPOINT first_load');
  try {
    progress.expect({ rows: goodCount(report), from: 'exact' });
    scope.changes.expect(goodCount(report));
    const inserted = await indexedAfter(client, scope, plan.table, () =>
      progress.counting('edges', () =>
        scope.changes.make(
          client,
          'edges',
          `INSERT INTO ${scope.edges} AS e (type, source_id, target_id, key, properties, run_id, owners)
           SELECT $1, a.id, b.id, s.key, s.properties, ${showingCount('$2::int', 'edges')}, $5
           FROM pg_temp.${plan.table} s
             JOIN ${nodesOf(scope, '$3', byHash, edge.from)} a ON a.key = s.from_key
             JOIN ${nodesOf(scope, '$4', byHash, edge.to)} b ON b.key = s.to_key
           WHERE ${goodRows(plan)}`,
          [edge.type, scope.runId, edge.from.label, edge.to.label, ownership.ofNewRows],
        ),
      ),
    );
    await client.query('RELEASE SAVEPOINT first_load');
    report.inserted = inserted;
    return report.inserted;
  } catch (error) {
    if (sqlstateOf(error) !== sqlstates.uniqueViolation) throw error;
    await client.query('ROLLBACK TO SAVEPOINT first_load');
    return null;
  }
}

/**
 * Writes the edges of a type that the graph may have already. It resolves the ends once, compares each row with its edge, updates changed
 * edges, inserts missing ones, and removes those that left the source. Returns how many rows found both ends.
 */
async function mergeEdges(
  client: PoolClient,
  scope: WriteScope,
  staged: StagedTarget,
  edge: EdgeMapping,
  ownership: Ownership,
  removal: Removal,
  byHash: boolean,
): Promise<number> {
  const { report } = staged;
  await markDuplicates(client, staged);
  const { matched, changed, missing } = await resolveEdges(client, scope, staged, edge, ownership, byHash);
  if (ownership.isShared) report.shared = await shareEdges(client, scope, ownership);
  await joinFor(client, scope, changed);
  scope.changes.expect(changed);
  if (changed > 0) report.updated = await updateEdges(client, scope, edge);
  await joinFor(client, scope, report.read);
  if (missing > 0) report.inserted = await insertMissing(client, scope, staged, edge, ownership, missing);
  report.unchanged = matched - report.updated - report.inserted;
  if (removal.of !== 'none') await removeEdges(client, scope, staged, edge, ownership, removal);
  // Edges that the job gave up have lost their dropped properties in `removeEdges`, so `removeDropped` does not count them again.
  report.lost_properties += await removeDropped(client, scope, edge, ownership);
  await client.query('DROP TABLE pg_temp.resolved_edges');
  return matched;
}

async function insertMissing(
  client: PoolClient,
  scope: WriteScope,
  { progress }: StagedTarget,
  edge: EdgeMapping,
  ownership: Ownership,
  missing: number,
): Promise<number> {
  progress.expect({ rows: missing, from: 'exact' });
  scope.changes.expect(missing);
  return progress.counting('edges', () =>
    scope.changes.make(
      client,
      'edges',
      `INSERT INTO ${scope.edges} AS e (type, source_id, target_id, key, properties, run_id, owners)
       SELECT $1, s.source_id, s.target_id, s.key, s.properties, ${showingCount('$2::int', 'edges')}, $3
       FROM pg_temp.resolved_edges s WHERE s.is_missing`,
      [edge.type, scope.runId, ownership.ofNewRows],
    ),
  );
}

function sameEdge(row: string): string {
  return `e.source_id = ${row}.source_id AND e.target_id = ${row}.target_id AND e.key = ${row}.key`;
}

/** Adds the job to the owners of edges that other jobs yield and this job now yields too. Returns the number of edges. */
async function shareEdges(client: PoolClient, scope: WriteScope, ownership: Ownership): Promise<number> {
  const sql = new SqlParameters();
  return scope.changes.make(
    client,
    'edges',
    `UPDATE ${scope.edges} e SET owners = ${ownership.owners(sql, 'e')} || ${sql.bind(ownership.jobId, 'int')}
     FROM pg_temp.resolved_edges s
     WHERE e.type = ${sql.bind(ownership.element.name, 'text')} AND ${sameEdge('s')} AND s.is_good AND NOT ${ownership.isOwned(sql, 'e')}`,
    sql.values,
  );
}

async function updateEdges(client: PoolClient, scope: WriteScope, edge: EdgeMapping): Promise<number> {
  return scope.changes.make(
    client,
    'edges',
    `UPDATE ${scope.edges} e SET properties = s.properties, run_id = $1
     FROM pg_temp.resolved_edges s WHERE s.is_changed AND e.type = $2 AND ${sameEdge('s')}`,
    [scope.runId, edge.type],
  );
}

/**
 * Removes properties that the job no longer maps from those edges of the job that no row has rewritten. Returns the number of changed
 * edges.
 */
async function removeDropped(client: PoolClient, scope: WriteScope, edge: EdgeMapping, ownership: Ownership): Promise<number> {
  const names = ownership.dropped(edge.columns);
  if (names.length === 0) return 0;
  const sql = new SqlParameters();
  const properties = `e.properties - ${ownership.ownOnly(sql, 'e', names)}`;
  return scope.changes.make(
    client,
    'edges',
    `UPDATE ${scope.edges} e SET properties = ${properties}, run_id = ${sql.bind(scope.runId, 'int')}
     WHERE ${ofElement(sql, scope, ownership)} AND e.properties ?| ${sql.bind(names, 'text[]')} AND ${properties} <> e.properties`,
    sql.values,
  );
}

/** SQL that is true for the edges `e` of the element that belong to the job. */
function ofElement(sql: SqlParameters, { nodes }: WriteScope, ownership: Ownership): string {
  const { name, sourceLabel, targetLabel } = ownership.element;
  const parts = [`e.type = ${sql.bind(name, 'text')}`, ownership.isOwned(sql, 'e')];
  if (!ownership.isOnlyOfItsName) {
    parts.push(`EXISTS (SELECT FROM ${nodes} a WHERE a.id = e.source_id AND a.label = ${sql.bind(sourceLabel, 'text')})`);
    parts.push(`EXISTS (SELECT FROM ${nodes} b WHERE b.id = e.target_id AND b.label = ${sql.bind(targetLabel, 'text')})`);
  }
  return parts.join(' AND ');
}

async function removeEdges(
  client: PoolClient,
  scope: WriteScope,
  { plan, report }: StagedTarget,
  edge: EdgeMapping,
  ownership: Ownership,
  { of, guard }: Removal,
): Promise<void> {
  if (of === 'marked') {
    const sql = new SqlParameters();
    await client.query(
      `CREATE TEMPORARY TABLE leaving_edges ON COMMIT DROP AS
       SELECT DISTINCT e.source_id, e.target_id, e.key, ${ownership.leaving(sql, 'e')}
       FROM pg_temp.${plan.table} s
         JOIN ${scope.nodes} a ON a.label = ${sql.bind(edge.from.label, 'text')} AND a.key = s.from_key
         JOIN ${scope.nodes} b ON b.label = ${sql.bind(edge.to.label, 'text')} AND b.key = s.to_key
         JOIN ${scope.edges} e ON e.source_id = a.id AND e.target_id = b.id AND e.key = s.key
       WHERE s.gone AND e.type = ${sql.bind(edge.type, 'text')} AND ${ownership.isOwned(sql, 'e')}
         AND NOT EXISTS (SELECT FROM pg_temp.resolved_edges r WHERE ${sameEdge('r')} AND r.is_good)`,
      sql.values,
    );
    return releaseEdges(client, scope, ownership, report);
  }
  const owned = await countOwned(client, scope, ownership);
  // Each row that was written is an edge of the job. If the job has as many edges as rows were written, there is nothing to remove, and an
  // unchanged run is spared a join.
  if (owned === report.inserted + report.updated + report.unchanged) return;
  await findLeaving(client, scope, ownership, `NOT EXISTS (SELECT FROM pg_temp.resolved_edges r WHERE ${sameEdge('r')})`);
  const had = owned - report.inserted - report.shared;
  if (guard.permits(report, had, await countGoing(client, 'leaving_edges'))) await releaseEdges(client, scope, ownership, report);
  else await client.query('DROP TABLE pg_temp.leaving_edges');
}

async function countOwned(client: PoolClient, scope: WriteScope, ownership: Ownership): Promise<number> {
  const sql = new SqlParameters();
  const { rows } = await client.query<{ owned: number }>(
    `SELECT count(*)::int AS owned FROM ${scope.edges} e WHERE ${ofElement(sql, scope, ownership)}`,
    sql.values,
  );
  return rows[0]!.owned;
}

async function findLeaving(client: PoolClient, scope: WriteScope, ownership: Ownership, condition: string): Promise<void> {
  const sql = new SqlParameters();
  await client.query(
    `CREATE TEMPORARY TABLE leaving_edges ON COMMIT DROP AS
     SELECT e.source_id, e.target_id, e.key, ${ownership.leaving(sql, 'e')} FROM ${scope.edges} e
     WHERE ${ofElement(sql, scope, ownership)} AND ${condition}`,
    sql.values,
  );
}

/** Deletes all edges of a type that the job no longer maps and that no other job yields. */
export async function deleteType(client: PoolClient, scope: WriteScope, ownership: Ownership, report: TargetReport): Promise<void> {
  const sql = new SqlParameters();
  report.deleted = await scope.changes.make(
    client,
    'edges',
    `DELETE FROM ${scope.edges} e WHERE ${ofElement(sql, scope, ownership)} AND cardinality(${ownership.ownersLeft(sql, 'e')}) = 0`,
    sql.values,
  );
}

/** Ends a job's ownership of all edges of an element that the job no longer maps. */
export async function releaseType(client: PoolClient, scope: WriteScope, ownership: Ownership, report: TargetReport): Promise<void> {
  await findLeaving(client, scope, ownership, 'true');
  await releaseEdges(client, scope, ownership, report);
}

/**
 * Ends the job's ownership of the edges in `leaving_edges`. Edges that another job yields stay, without the properties that only this job
 * mapped. All other edges are deleted.
 */
async function releaseEdges(client: PoolClient, scope: WriteScope, ownership: Ownership, report: TargetReport): Promise<void> {
  await client.query('ANALYZE pg_temp.leaving_edges');
  const type = ownership.element.name;
  if (ownership.isShared) {
    const sql = new SqlParameters();
    await scope.changes.make(
      client,
      'edges',
      `UPDATE ${scope.edges} e
       SET owners = ${ownership.ownersLeft(sql, 'e')}, run_id = ${ownership.runOfOwnersLeft(sql, 'e')},
           properties = e.properties - ${ownership.ownOnly(sql, 'e', ownership.mappedBefore ?? [])}
       FROM pg_temp.leaving_edges l WHERE l.stays AND e.type = ${sql.bind(type, 'text')} AND ${sameEdge('l')}`,
      sql.values,
    );
    report.lost_properties += await countLosing(client, 'leaving_edges');
  }
  report.deleted += await scope.changes.make(
    client,
    'edges',
    `DELETE FROM ${scope.edges} e USING pg_temp.leaving_edges l WHERE NOT l.stays AND e.type = $1 AND ${sameEdge('l')}`,
    [type],
  );
  await client.query('DROP TABLE pg_temp.leaving_edges');
}

/**
 * Deletes the edges, of any job, that begin or end at a node of `leaving_nodes` that is about to be deleted. Returns the number of edges.
 */
export async function deleteEdgesOf(client: PoolClient, scope: WriteScope): Promise<number> {
  await countLostEdges(client, scope);
  let removed = 0;
  for (const end of ['source_id', 'target_id']) {
    removed += await scope.changes.make(
      client,
      'edges',
      `DELETE FROM ${scope.edges} e USING pg_temp.leaving_nodes l WHERE NOT l.stays AND e.${end} = l.id`,
    );
  }
  return removed;
}

async function typeExists(client: PoolClient, { edges }: WriteScope, type: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(`SELECT EXISTS (SELECT FROM ${edges} WHERE type = $1) AS found`, [type]);
  return rows[0]!.found;
}
