import { graphTables } from '../../src/database/graph-tables.js';
import { type TestApp } from './app.js';
import { uploadRequest } from './ingestion.js';

/** Loads rows of `id,ref,v,c` into a table of the mirror. */
export async function loadRows({ admin }: TestApp, table: string, rows: string[], query: Record<string, string> = {}): Promise<void> {
  const csv = ['id,ref,v,c', ...rows, ''].join('\n');
  const types: Record<string, string> =
    query.mode === 'append' || query.mode === 'upsert' ? {} : { types: 'id:text,ref:text,v:text,c:int', empty: 'true' };
  const { status, body } = await uploadRequest(admin, table, csv, { ...types, ...query });
  if (status >= 300) throw new Error(JSON.stringify(body));
}

export async function revise({ admin }: TestApp, jobId: number, mapping: string): Promise<void> {
  await admin.post(`/api/ingestion/jobs/${jobId}/revisions`).send({ mapping_yaml: mapping }).expect(200);
}

export const isSkipped = (ended: any): boolean => ended.report.unchanged_source !== undefined;
export const column = (name: string, more = ''): string => `{column: ${name}, type: string${more}}`;
export const nodesOf = (table: string, more = '', columns = [column('id'), column('v')]): string =>
  `version: 1\nnodes:\n  - {id: n, label: N, table: ${table}, key: [id], ${more}columns: [${columns.join(', ')}]}\n`;

/** The nodes and edges of a graph, in a fixed order. */
export async function shownRows({ pool }: TestApp, graphId: number): Promise<unknown[]> {
  const { nodes, edges } = graphTables(graphId);
  const { rows } = await pool.query(
    `SELECT label, key, '' AS "to", display, properties FROM ${nodes}
     UNION ALL SELECT e.type, a.label || a.key, b.label || b.key || e.key, NULL, e.properties
     FROM ${edges} e JOIN ${nodes} a ON a.id = e.source_id JOIN ${nodes} b ON b.id = e.target_id ORDER BY 1, 2, 3`,
  );
  return rows;
}
