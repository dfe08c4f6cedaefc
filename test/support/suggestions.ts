import { CORE_SCHEMA, load } from 'js-yaml';
import { type TestApp } from './app.js';
import { ingest } from './ingestion.js';

/** Requests the draft of a mapping and returns the answer. */
export async function suggest({ admin }: TestApp, request: { connection?: string; tables?: string[] }): Promise<any> {
  const { body, status } = await admin.post('/api/ingestion/mappings/suggest').send(request);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}

/** The mapping of a draft as plain objects. */
export function readDraft(draft: any): any {
  return load(draft.mapping_yaml, { schema: CORE_SCHEMA });
}

/** Runs a draft as it is. Returns the number of nodes by label, and of edges by the table and columns of each. */
export async function runDraft(
  app: TestApp,
  draft: any,
): Promise<{ nodes: Record<string, number>; edges: Record<string, number>; graphId: number }> {
  const checked = await app.admin.post('/api/ingestion/mappings/validate').send({ mapping_yaml: draft.mapping_yaml });
  if (checked.status !== 200) throw new Error(`${JSON.stringify(checked.body, null, 2)}\n${draft.mapping_yaml}`);
  const { run, graphId } = await ingest(app, draft.mapping_yaml);
  if (run.error !== null || run.report.totals.rejected > 0) throw new Error(`${JSON.stringify(run, null, 2)}\n${draft.mapping_yaml}`);
  const { nodes = [], edges = [] } = readDraft(draft);
  const inserted = run.report.targets.map((target: any) => target.inserted as number);
  const endsOf = (edge: any): string[] => [...Object.keys(edge.from.match), ...Object.keys(edge.to.match)];
  return {
    nodes: Object.fromEntries(nodes.map((node: any, index: number) => [node.table, inserted[index]])),
    edges: Object.fromEntries(
      edges.map((edge: any, index: number) => [`${edge.table}: ${endsOf(edge).join(', ')}`, inserted[nodes.length + index]]),
    ),
    graphId,
  };
}
