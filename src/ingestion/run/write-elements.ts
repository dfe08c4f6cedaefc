import { type PoolClient } from 'pg';
import { mostTablesBehind } from '../../sql-guard/guard-select.js';
import { guardedQuery } from '../staging/guarded-query.js';
import { type ColumnMapping } from '../mapping/mapping.js';
import { resolvedTypeText } from '../staging/column-sql.js';
import { mappingOf, type Target } from '../staging/target.js';
import { type ElementId, type Ownership } from './ownership.js';
import { type StagedTarget } from './stage-target.js';
import { type WriteScope } from './write-scope.js';

export interface ElementOrigin {
  connectionId: number;
  connection: string;
  /** The schema of the tables that the job reads. */
  schema: string;
}

/** A target that was written, with the ownership of its label or edge type. */
export interface WrittenTarget {
  staged: StagedTarget;
  ownership: Ownership;
}

/** Records the labels and edge types that the job feeds, with their sources, and adds the new rows to their row counts. */
export async function writeElements(client: PoolClient, scope: WriteScope, written: WrittenTarget[], origin: ElementOrigin): Promise<void> {
  for (const { staged, ownership } of written) {
    await upsertElement(client, scope, staged, ownership, origin);
    await addRows(client, scope, ownership.element, staged.report.inserted - staged.report.deleted);
  }
  for (const { staged } of written) {
    for (const [label, made] of staged.stubs) await addRows(client, scope, labelElement(label), made);
  }
}

export function labelElement(name: string): ElementId {
  return { kind: 'node', name, sourceLabel: '', targetLabel: '' };
}

async function upsertElement(
  client: PoolClient,
  scope: WriteScope,
  { target, plan }: StagedTarget,
  { element: { kind, name, sourceLabel, targetLabel }, ofNewRows }: Ownership,
  origin: ElementOrigin,
): Promise<void> {
  const { element } = target;
  const { source } = element;
  const properties = element.columns.map((column, index) => ({
    name: column.property,
    type: resolvedTypeText(plan.types[index]!),
    column: column.source.kind === 'column' ? column.source.column : null,
    ...(column.sensitive && { sensitive: true }),
  }));
  await client.query(
    `INSERT INTO graph_elements (graph_id, kind, name, source_label, target_label, job_id, aliases, connection_id, connection,
       source_table, query_tables, key_columns, key_properties, display_property, properties, owns_rest, labels)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
     ON CONFLICT (graph_id, kind, name, source_label, target_label, job_id) DO UPDATE SET
       aliases = excluded.aliases, connection_id = excluded.connection_id, connection = excluded.connection,
       source_table = excluded.source_table, query_tables = excluded.query_tables, key_columns = excluded.key_columns,
       key_properties = excluded.key_properties, display_property = excluded.display_property, properties = excluded.properties,
       labels = excluded.labels, reread = false`,
    [
      scope.graphId,
      kind,
      name,
      sourceLabel,
      targetLabel,
      scope.jobId,
      element.aliases,
      origin.connectionId,
      origin.connection,
      source.kind === 'table' ? source.table : 'query',
      source.kind === 'table' ? null : guardedQuery(source, origin.schema).tables.slice(0, mostTablesBehind),
      element.key,
      element.key.map(column => propertyOf(element.columns, column)),
      plan.display === null ? null : propertyOf(element.columns, plan.display),
      JSON.stringify(properties),
      ofNewRows === null,
      JSON.stringify(furtherLabels(target)),
    ],
  );
}

/** The property that a source column is mapped to; '' if the column is not mapped. */
function propertyOf(columns: ColumnMapping[], column: string): string {
  return mappingOf(columns, column)?.property ?? '';
}

/** The further labels of a target, with counts of 0, which `countLabels` replaces. */
function furtherLabels({ kind, element }: Target): { name: string; aliases: string[]; count: number }[] {
  return kind === 'edge' ? [] : element.labels.map(({ name, aliases }) => ({ name, aliases, count: 0 }));
}

/**
 * Counts the nodes with each further label, separately for each main label. Further labels from all jobs count. It reads all nodes of main
 * labels that have further labels, because a run changes labels in many ways. Returns how many different sets of labels these nodes have.
 */
export async function countLabels(client: PoolClient, { graphId, nodes }: WriteScope): Promise<number> {
  const { rows } = await client.query<{ name: string }>(`SELECT DISTINCT name FROM graph_elements WHERE graph_id = $1 AND labels <> '[]'`, [
    graphId,
  ]);
  if (rows.length === 0) return 0;
  const counted = await client.query<{ sets: number }>(
    `WITH sets AS MATERIALIZED (
       SELECT n.label, n.labels, count(*) AS nodes FROM ${nodes} n WHERE n.label = ANY ($2) GROUP BY 1, 2
     ), counted AS (
       SELECT s.label, l AS further, sum(s.nodes)::bigint AS nodes FROM sets s, unnest(s.labels) AS l GROUP BY 1, 2
     ), written AS (
       UPDATE graph_elements g SET labels = (
         SELECT jsonb_agg(l || jsonb_build_object('count', coalesce(c.nodes, 0)) ORDER BY place)
         FROM jsonb_array_elements(g.labels) WITH ORDINALITY AS e (l, place)
           LEFT JOIN counted c ON c.label = g.name AND c.further = l ->> 'name'
       )
       WHERE g.graph_id = $1 AND g.labels <> '[]'
     )
     SELECT count(*)::int AS sets FROM sets`,
    [graphId, rows.map(({ name }) => name)],
  );
  return counted.rows[0]!.sets;
}

/** Adds to the row count of an element. The count is stored with the one job that has `owns_rest`, even if another job wrote the rows. */
export async function addRows(client: PoolClient, { graphId }: WriteScope, element: ElementId, rows: number): Promise<void> {
  await client.query(
    `UPDATE graph_elements SET row_count = row_count + $6
     WHERE graph_id = $1 AND kind = $2 AND name = $3 AND source_label = $4 AND target_label = $5 AND owns_rest`,
    [graphId, ...partsOf(element), rows],
  );
}

/**
 * Subtracts, from the row counts of the edge types, the edges at those nodes of `leaving_nodes` that will be deleted. Call it before any of
 * these edges is deleted.
 */
export async function countLostEdges(client: PoolClient, { graphId, nodes, edges }: WriteScope): Promise<void> {
  await client.query(
    `WITH lost AS (
       SELECT e.type, e.source_id, e.target_id, e.key FROM pg_temp.leaving_nodes l JOIN ${edges} e ON e.source_id = l.id WHERE NOT l.stays
       UNION
       SELECT e.type, e.source_id, e.target_id, e.key FROM pg_temp.leaving_nodes l JOIN ${edges} e ON e.target_id = l.id WHERE NOT l.stays
     ), counted AS (
       SELECT l.type, a.label AS source_label, b.label AS target_label, count(*) AS rows
       FROM lost l JOIN ${nodes} a ON a.id = l.source_id JOIN ${nodes} b ON b.id = l.target_id
       GROUP BY 1, 2, 3
     )
     UPDATE graph_elements g SET row_count = g.row_count - c.rows
     FROM counted c
     WHERE g.graph_id = $1 AND g.kind = 'edge' AND g.owns_rest
       AND (g.name, g.source_label, g.target_label) = (c.type, c.source_label, c.target_label)`,
    [graphId],
  );
}

/**
 * Deletes the record that the job feeds an element. Call it once no row of the element belongs to the job. If the record had the element's
 * row count, the count moves to another job that feeds the element.
 */
export async function removeElement(client: PoolClient, scope: WriteScope, element: ElementId, deleted: number): Promise<void> {
  await addRows(client, scope, element, -deleted);
  const same = 'graph_id = $1 AND kind = $2 AND name = $3 AND source_label = $4 AND target_label = $5';
  await client.query(
    `WITH removed AS (DELETE FROM graph_elements WHERE ${same} AND job_id = $6 RETURNING owns_rest, row_count)
     UPDATE graph_elements g SET owns_rest = true, row_count = g.row_count + r.row_count
     FROM removed r
     WHERE r.owns_rest AND ${same} AND g.job_id = (SELECT min(job_id) FROM graph_elements WHERE ${same} AND job_id <> $6)`,
    [scope.graphId, ...partsOf(element), scope.jobId],
  );
}

/** The elements that the job fed in its last run, as the graph records them. */
export async function listElements(client: PoolClient, { graphId, jobId }: WriteScope): Promise<ElementId[]> {
  const { rows } = await client.query<ElementId>(
    `SELECT kind, name, source_label AS "sourceLabel", target_label AS "targetLabel" FROM graph_elements
     WHERE graph_id = $1 AND job_id = $2 ORDER BY kind, name, source_label, target_label`,
    [graphId, jobId],
  );
  return rows;
}

function partsOf({ kind, name, sourceLabel, targetLabel }: ElementId): string[] {
  return [kind, name, sourceLabel, targetLabel];
}
