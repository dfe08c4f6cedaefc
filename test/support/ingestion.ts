import { readFileSync } from 'node:fs';
import path from 'node:path';
import { graphTables } from '../../src/database/graph-tables.js';
import { type Client, type TestApp } from './app.js';
import { sharedFolder } from './shared-data.js';

export async function aGraph(app: TestApp, name = '图'): Promise<number> {
  const { body } = await app.admin.post('/api/graphs').send({ name }).expect(201);
  return body.id;
}

export const tablesPath = '/api/warehouse/connections/1/tables';

/** The request that sends a file for a mirror table. */
export function uploadRequest(as: Client, table: string, file: string | Buffer, query: Record<string, string> = {}, type = 'text/csv') {
  return as
    .put(`${tablesPath}/${encodeURIComponent(table)}`)
    .query(query)
    .set('Content-Type', type)
    .send(file);
}

/**
 * Uploads CSV into a mirror table, also a header alone. `types` has the form of the query parameter `types`, such as `id:int,v:text`.
 */
export async function upload(app: TestApp, table: string, csv: string | Buffer, types?: string): Promise<void> {
  const response = await uploadRequest(app.admin, table, csv, { empty: 'true', ...(types !== undefined && { types }) });
  if (response.status >= 300) throw new Error(`${table}: ${JSON.stringify(response.body)}`);
}

export async function aJob(app: TestApp, graphId: number, mapping: string): Promise<number> {
  const { body, status } = await app.admin.post('/api/ingestion/jobs').send({ graph_id: graphId, mapping_yaml: mapping });
  if (status !== 201) throw new Error(JSON.stringify(body, null, 2));
  return body.id;
}

export async function runToEnd(app: TestApp, jobId: number, query = {}): Promise<any> {
  const { body } = await app.admin.post(`/api/ingestion/jobs/${jobId}/run`).query(query).set('Prefer', 'wait=60').expect(200);
  return body;
}

/** Runs a mapping on a new graph to the end of its run. */
export async function ingest(app: TestApp, mapping: string): Promise<{ graphId: number; jobId: number; run: any }> {
  const graphId = await aGraph(app);
  const jobId = await aJob(app, graphId, mapping);
  return { graphId, jobId, run: await runToEnd(app, jobId) };
}

/** The counts of each target, in this order: read, inserted, updated, unchanged, deleted, rejected, skipped. */
export function counts(run: any): Record<string, number[]> {
  return Object.fromEntries(
    run.report.targets.map((t: any) => [t.target, [t.read, t.inserted, t.updated, t.unchanged, t.deleted, t.rejected, t.skipped]]),
  );
}

export async function rejectedRows(app: TestApp, runId: number): Promise<any[]> {
  const { text } = await app.admin.get(`/api/ingestion/runs/${runId}/rejected?format=ndjson`).buffer(true).expect(200);
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line));
}

/** A mapping with one node 行 whose key is `id`. Rejected rows are quarantined. `columns` are those besides the key. */
export const rowMapping = (table: string, columns: string[], defaults = 'on_error: quarantine, max_error_rate: 1'): string => `version: 1
source: {timezone: Asia/Shanghai}
defaults: {${defaults}}
nodes:
  - id: row
    label: 行
    table: ${table}
    key: [id]
    columns:
      - {column: id, property: id, type: string}
${columns.map(column => `      - ${column}`).join('\n')}
`;

let tables = 0;
/** Loads CSV into a mirror table with a new name, which it returns. */
export async function aTable(app: TestApp, csv: string, types?: string): Promise<string> {
  const name = `t${++tables}`;
  await upload(app, name, csv, types);
  return name;
}

/** The properties of all nodes of a graph, by their key. */
export async function nodeProperties({ pool }: TestApp, graphId: number): Promise<Record<string, any>> {
  const { rows } = await pool.query(`SELECT key, properties FROM ${graphTables(graphId).nodes} ORDER BY key`);
  return Object.fromEntries(rows.map(row => [row.key, row.properties]));
}

/** The rules that the rejected rows of a run broke, by the key of the row. */
export async function brokenRules(app: TestApp, runId: number): Promise<Record<string, string[]>> {
  const rows = await rejectedRows(app, runId);
  return Object.fromEntries(rows.map(row => [row.source_key, row.reasons.map((reason: any) => reason.rule)]));
}

/** The CSV of the table `numbers`, which the two mappings below read: 300 rows. */
export const numbersCsv = `i\n${Array.from({ length: 300 }, (_, index) => index).join('\n')}\n`;

/** Loads the rows of `numbers` as nodes. */
export const quickMapping = `version: 1
nodes:
  - {id: r, label: 行, table: numbers, key: [i], columns: [{column: i}]}
`;

/** A mapping whose run keeps a worker busy: its query counts 8.1 thousand million rows. */
export const slowMapping = `version: 1
source: {statement_timeout: 30m}
nodes:
  - id: r
    label: 慢
    query: SELECT count(*) AS id FROM numbers a CROSS JOIN numbers b CROSS JOIN numbers c CROSS JOIN numbers d
    key: [id]
    columns: [{column: id}]
`;

export const shared = (file: string): Buffer => readFileSync(path.join(sharedFolder, file));
