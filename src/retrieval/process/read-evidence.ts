import { type AnswerEdge, type AnswerGraph, type AnswerNode, type Citation } from '../protocol.js';
import { type AnswerElements } from './answer-elements.js';
import { type GraphElements } from './graph-schema.js';
import { toCitations } from './to-citations.js';
import { type GraphReader } from './retrieval-database.js';

const MOST_NODES = 500;
const MOST_EDGES = 1000;

/** The run that wrote a row; nulls when its record is gone. */
export interface WrittenBy {
  job_id: number | null;
  loaded_at: string | null;
}

export type NodeRow = AnswerNode & WrittenBy;
type EdgeRow = AnswerEdge & WrittenBy;

const RUN = 'coalesce(run.finished_at, run.started_at, run.created_at) AS loaded_at';

/** Reads the nodes and edges of an answer, and the warehouse rows they came from. `more`: not everything is cited. `isGraphCut`: not everything is shown. */
export async function readEvidence(
  reader: GraphReader,
  schema: GraphElements,
  elements: AnswerElements,
): Promise<{ graph: AnswerGraph; citations: Citation[]; more: boolean; isGraphCut: boolean }> {
  // Asked for or not, the evidence comes with the rows, and must not make an answer too large that would fit without it.
  const share = Math.floor(reader.answerMaxBytes / 4);
  const nodes = await readNodes(reader, [...elements.nodeIds].slice(0, MOST_NODES), share);
  const edges = await readEdges(reader, elements, share);
  const cited = [
    ...nodes.map(node => ({ kind: 'node' as const, name: node.label, key: node.key, jobId: node.job_id, loadedAt: node.loaded_at })),
    // An edge without a key of its own is a row of a table whose key is cited with one of its ends.
    ...edges
      .filter(edge => edge.key !== '')
      .map(edge => ({ kind: 'edge' as const, name: edge.type, key: edge.key, jobId: edge.job_id, loadedAt: edge.loaded_at })),
  ];
  const { citations, more } = toCitations(schema, cited);
  return {
    graph: { nodes: nodes.filter(isWhole).map(toAnswerNode), edges: edges.filter(isWhole).map(toAnswerEdge) },
    citations,
    isGraphCut: !nodes.every(isWhole) || !edges.every(isWhole),
    more: more || elements.nodeIds.size > MOST_NODES,
  };
}

/** Whether an element's properties were within the bytes that were asked for; null where they were not. */
function isWhole({ properties }: { properties: Record<string, unknown> | null }): boolean {
  return properties !== null;
}

/** The properties of the first rows until they take so many bytes, and null from there on: PostgreSQL does not even send them. */
const within = (properties: string, bytes: string): string =>
  `CASE WHEN sum(octet_length(${properties}::text)) OVER (ROWS UNBOUNDED PRECEDING) <= ${bytes} THEN ${properties} END AS properties`;

/**
 * In the order of `ids`; those that are not there are left out.
 * @param propertyBytes how much the properties of all may take; those beyond it are null. Without it they all come.
 */
export async function readNodes(reader: GraphReader, ids: number[], propertyBytes = Number.MAX_SAFE_INTEGER): Promise<NodeRow[]> {
  if (ids.length === 0) return [];
  const rows = await reader.query<NodeRow>(
    `SELECT n.id, n.label, n.key, n.display, ${within('n.properties', '$2')}, run.job_id, ${RUN}
       FROM ${reader.tables.nodes} n LEFT JOIN ingestion_runs run ON run.id = n.run_id
      WHERE n.id = ANY ($1::bigint[])`,
    [ids, propertyBytes],
  );
  const byId = new Map(rows.map(row => [row.id, row]));
  return ids.flatMap(id => byId.get(id) ?? []);
}

export function toAnswerNode({ id, label, key, display, properties }: NodeRow): AnswerNode {
  return { id, label, key, display, properties };
}

async function readEdges(reader: GraphReader, elements: AnswerElements, propertyBytes: number): Promise<EdgeRow[]> {
  const wanted = [...elements.edges.values()].slice(0, MOST_EDGES);
  if (wanted.length === 0) return [];
  const rows = await reader.query<EdgeRow>(
    `SELECT e.id, e.type, e.source_id, e.target_id, e.key, ${within('e.properties', '$5')}, run.job_id, ${RUN}
       FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[]) AS wanted (source_id, type, target_id, id)
       JOIN ${reader.tables.edges} e ON e.source_id = wanted.source_id AND e.type = wanted.type AND e.target_id = wanted.target_id AND e.id = wanted.id
       LEFT JOIN ingestion_runs run ON run.id = e.run_id`,
    [
      wanted.map(edge => edge.sourceId),
      wanted.map(edge => edge.type),
      wanted.map(edge => edge.targetId),
      wanted.map(edge => edge.id),
      propertyBytes,
    ],
  );
  const byId = new Map(rows.map(row => [row.id, row]));
  return wanted.flatMap(({ id }) => byId.get(id) ?? []);
}

function toAnswerEdge({ id, type, source_id, target_id, key, properties }: EdgeRow): AnswerEdge {
  return { id, type, source_id, target_id, key, properties };
}
