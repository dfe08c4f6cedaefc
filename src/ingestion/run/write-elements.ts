import { type PoolClient } from 'pg';
import { tablesBehind } from '../../sql-guard/guard-select.js';
import { type ColumnMapping } from '../mapping/mapping.js';
import { typeText } from '../mapping/property-type.js';
import { type ResolvedType } from '../staging/column-sql.js';
import { mappingOf } from '../staging/target.js';
import { type StagedTarget } from './stage-target.js';
import { type WriteScope } from './write-scope.js';

export interface ElementOrigin {
  jobId: number;
  connectionId: number;
  connection: string;
  /** The schema of the tables that the job reads. */
  schema: string;
}

/**
 * Records the labels and types of the graph and their sources. Row counts change by the rows that the run wrote. If nodes were
 * deleted, edges of any type went with them, so the counts are taken anew.
 */
export async function writeElements(client: PoolClient, scope: WriteScope, staged: StagedTarget[], origin: ElementOrigin): Promise<void> {
  for (const target of staged) await upsertElement(client, scope, target, origin);
  if (staged.some(({ target, report }) => target.kind === 'node' && report.deleted > 0)) await recountEdges(client, scope);
}

async function upsertElement(
  client: PoolClient,
  scope: WriteScope,
  { target, plan, report }: StagedTarget,
  origin: ElementOrigin,
): Promise<void> {
  const { element, kind } = target;
  const { source } = element;
  const properties = element.columns.map((column, index) => ({
    name: column.property,
    type: storedType(plan.types[index]!),
    column: column.source.kind === 'column' ? column.source.column : null,
  }));
  await client.query(
    `INSERT INTO graph_elements (graph_id, kind, name, source_label, target_label, job_id, aliases, connection_id, connection,
       source_table, query_tables, key_columns, key_properties, display_property, properties, row_count)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
     ON CONFLICT (graph_id, kind, name, source_label, target_label, job_id) DO UPDATE SET
       aliases = excluded.aliases, connection_id = excluded.connection_id, connection = excluded.connection,
       source_table = excluded.source_table, query_tables = excluded.query_tables, key_columns = excluded.key_columns,
       key_properties = excluded.key_properties, display_property = excluded.display_property, properties = excluded.properties,
       row_count = graph_elements.row_count + excluded.row_count`,
    [
      scope.graphId,
      kind,
      kind === 'node' ? target.element.label : target.element.type,
      kind === 'edge' ? target.element.from.label : '',
      kind === 'edge' ? target.element.to.label : '',
      origin.jobId,
      element.aliases,
      origin.connectionId,
      origin.connection,
      source.kind === 'table' ? source.table : 'query',
      source.kind === 'table' ? null : tablesBehind(source.query, origin),
      element.key,
      element.key.map(column => propertyOf(element.columns, column)),
      plan.display === null ? null : propertyOf(element.columns, plan.display),
      JSON.stringify(properties),
      report.inserted - report.deleted,
    ],
  );
}

/** The property that holds a source column, or ''. */
function propertyOf(columns: ColumnMapping[], column: string): string {
  return mappingOf(columns, column)?.property ?? '';
}

function storedType(type: ResolvedType): string {
  return type.name === 'numeric' ? 'decimal' : typeText(type);
}

async function recountEdges(client: PoolClient, { graphId, nodes, edges }: WriteScope): Promise<void> {
  await client.query(
    `UPDATE graph_elements g SET row_count = coalesce(c.rows, 0)
     FROM graph_elements o
       LEFT JOIN (
         SELECT e.type, a.label AS source_label, b.label AS target_label, r.job_id, count(*) AS rows
         FROM ${edges} e
           JOIN ${nodes} a ON a.id = e.source_id
           JOIN ${nodes} b ON b.id = e.target_id
           JOIN ingestion_runs r ON r.id = e.run_id
         GROUP BY e.type, a.label, b.label, r.job_id
       ) c ON (c.type, c.source_label, c.target_label, c.job_id) = (o.name, o.source_label, o.target_label, o.job_id)
     WHERE o.graph_id = $1 AND o.kind = 'edge'
       AND (g.graph_id, g.kind, g.name, g.source_label, g.target_label, g.job_id)
         = (o.graph_id, o.kind, o.name, o.source_label, o.target_label, o.job_id)`,
    [graphId],
  );
}
