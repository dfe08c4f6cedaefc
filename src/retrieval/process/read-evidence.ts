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

/** Reads the nodes and edges of an answer, and the warehouse rows they came from. `more`: not everything is listed. */
export async function readEvidence(
  reader: GraphReader,
  schema: GraphElements,
  elements: AnswerElements,
): Promise<{ graph: AnswerGraph; citations: Citation[]; more: boolean }> {
  const nodes = await readNodes(reader, [...elements.nodeIds].slice(0, MOST_NODES));
  const edges = await readEdges(reader, elements);
  const cited = [
    ...nodes.map(node => ({ kind: 'node' as const, name: node.label, key: node.key, jobId: node.job_id, loadedAt: node.loaded_at })),
    // An edge without a key of its own is a row of a table whose key is cited with one of its ends.
    ...edges
      .filter(edge => edge.key !== '')
      .map(edge => ({ kind: 'edge' as const, name: edge.type, key: edge.key, jobId: edge.job_id, loadedAt: edge.loaded_at })),
  ];
  const { citations, more } = toCitations(schema, cited);
  return {
    graph: { nodes: nodes.map(toAnswerNode), edges: edges.map(toAnswerEdge) },
    citations,
    more: more || elements.nodeIds.size > MOST_NODES,
  };
}

/** In the order of `ids`; those that are not there are left out. */
export async function readNodes(reader: GraphReader, ids: number[]): Promise<NodeRow[]> {
  if (ids.length === 0) return [];
  const rows = await reader.query<NodeRow>(
    `SELECT n.id, n.label, n.key, n.display, n.properties, run.job_id, ${RUN}
       FROM ${reader.tables.nodes} n LEFT JOIN ingestion_runs run ON run.id = n.run_id
      WHERE n.id = ANY ($1::bigint[])`,
    [ids],
  );
  const byId = new Map(rows.map(row => [row.id, row]));
  return ids.flatMap(id => byId.get(id) ?? []);
}

export function toAnswerNode({ id, label, key, display, properties }: NodeRow): AnswerNode {
  return { id, label, key, display, properties };
}

async function readEdges(reader: GraphReader, elements: AnswerElements): Promise<EdgeRow[]> {
  const wanted = [...elements.edges.values()].slice(0, MOST_EDGES);
  if (wanted.length === 0) return [];
  const rows = await reader.query<EdgeRow>(
    `SELECT e.id, e.type, e.source_id, e.target_id, e.key, e.properties, run.job_id, ${RUN}
       FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[]) AS wanted (source_id, type, target_id, id)
       JOIN ${reader.tables.edges} e ON e.source_id = wanted.source_id AND e.type = wanted.type AND e.target_id = wanted.target_id AND e.id = wanted.id
       LEFT JOIN ingestion_runs run ON run.id = e.run_id`,
    [wanted.map(edge => edge.sourceId), wanted.map(edge => edge.type), wanted.map(edge => edge.targetId), wanted.map(edge => edge.id)],
  );
  const byId = new Map(rows.map(row => [row.id, row]));
  return wanted.flatMap(({ id }) => byId.get(id) ?? []);
}

function toAnswerEdge({ id, type, source_id, target_id, key, properties }: EdgeRow): AnswerEdge {
  return { id, type, source_id, target_id, key, properties };
}
