import { graphTables } from '../../src/database/graph-tables.js';
import { type TestApp } from './app.js';
import { upload } from './ingestion.js';

interface NodeOptions {
  label?: string;
  key?: string;
  columns?: string;
  more?: string;
}

/** One node of a mapping, as YAML. */
export const node = (table: string, { label = '人', key = 'id', columns = '{column: id}', more = '' }: NodeOptions = {}): string =>
  `  - {id: n${label === '人' ? '' : '2'}, label: ${label}, table: ${table}, key: [${key}], columns: [${columns}]${more}}\n`;
/** A mapping of nodes, as YAML. A test may append edges. */
export const nodes = (...items: string[]): string =>
  `version: 1\ndefaults: {on_error: quarantine, max_error_rate: 1}\nnodes:\n${items.join('')}`;

/** Runs jobs of the admin and reads their graphs. `app` is a function, because the application may start later. */
export function syncJobs(app: () => TestApp) {
  let tables = 0;
  const shown = async (graphId: number, label = '人'): Promise<Record<string, unknown>> => {
    const sql = `SELECT key, properties FROM ${graphTables(graphId).nodes} WHERE label = $1 ORDER BY key`;
    const { rows } = await app().pool.query(sql, [label]);
    return Object.fromEntries(rows.map(row => [row.key, row.properties]));
  };
  return {
    aTable: async (csv: string, types = 'id:text'): Promise<string> => {
      const name = `sync${++tables}`;
      await upload(app(), name, csv, types);
      return name;
    },
    /** The properties of the nodes with a label, by their key. */
    shown,
    keys: async (graphId: number, label?: string): Promise<string[]> => Object.keys(await shown(graphId, label)),
    edgeCount: async (graphId: number): Promise<number> =>
      (await app().pool.query(`SELECT count(*)::int AS n FROM ${graphTables(graphId).edges}`)).rows[0].n,
    revise: async (jobId: number, mapping: string, dryRun = false): Promise<any> => {
      const path = `/api/ingestion/jobs/${jobId}/revisions${dryRun ? '?dry_run=true' : ''}`;
      const { body, status } = await app().admin.post(path).send({ mapping_yaml: mapping });
      if (status !== 200) throw new Error(JSON.stringify(body));
      return body;
    },
    /** Runs a job that may delete more than half of its nodes or edges. */
    runAllowed: async (jobId: number): Promise<any> => {
      const { body } = await app().admin.post(`/api/ingestion/jobs/${jobId}/run?allow_deletes=true`).set('Prefer', 'wait=60').expect(200);
      return body;
    },
    retire: async (jobId: number): Promise<any> => {
      const { body } = await app().admin.post(`/api/ingestion/jobs/${jobId}/retire`).set('Prefer', 'wait=60').expect(200);
      return body;
    },
  };
}
