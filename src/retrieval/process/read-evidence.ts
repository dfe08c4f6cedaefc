import { isStub } from '../../database/graph-tables.js';
import { type AnswerEdge, type AnswerGraph, type AnswerNode } from '../../cypher/values/graph-values.js';
import { type Citation } from '../protocol.js';
import { type AnswerElements, type EdgeRef } from './answer-elements.js';
import { type GraphElements } from './graph-elements.js';
import { toCitations } from './to-citations.js';
import { type GraphReader } from './retrieval-database.js';

const mostNodes = 500;
const mostEdges = 1000;

/** The run that wrote a row. The fields are null when the record of the run is gone. */
export interface WrittenBy {
  job_id: number | null;
  loaded_at: string | null;
}

export type NodeRow = AnswerNode & WrittenBy;
export type EdgeRow = AnswerEdge & WrittenBy;

/**
 * Reads the nodes and edges of an answer, and cites their warehouse rows. `more`: not all of them are cited. `isGraphCut`: not all of them
 * are shown with their properties.
 */
export async function readEvidence(
  reader: GraphReader,
  schema: GraphElements,
  elements: AnswerElements,
): Promise<{ graph: AnswerGraph; citations: Citation[]; more: boolean; isGraphCut: boolean }> {
  // Every answer includes its evidence. The evidence gets only a quarter of the bytes, so that an answer whose rows fit does not become too
  // large because of its evidence.
  const share = Math.floor(reader.answerMaxBytes / 4);
  const { nodes, edges } = await readElements(
    reader,
    [...elements.nodeIds].slice(0, mostNodes),
    [...elements.edges.values()].slice(0, mostEdges),
    share,
  );
  const labels = new Map(nodes.map(node => [node.id, node.label]));
  const cited = [
    ...nodes
      .filter(isRead)
      .map(node => ({ kind: 'node' as const, name: node.label, key: node.key, jobId: node.job_id, loadedAt: node.loaded_at })),
    ...edges.map(edge => ({
      kind: 'edge' as const,
      name: edge.type,
      key: edge.key,
      jobId: edge.job_id,
      loadedAt: edge.loaded_at,
      ends: [labels.get(edge.source_id), labels.get(edge.target_id)] as const,
    })),
  ];
  const { citations, more } = toCitations(schema, cited);
  return {
    graph: { nodes: nodes.filter(isWhole).map(toAnswerNode), edges: edges.filter(isWhole).map(toAnswerEdge) },
    citations,
    isGraphCut: !nodes.every(isWhole) || !edges.every(isWhole),
    more: more || elements.nodeIds.size > mostNodes || elements.edges.size > mostEdges,
  };
}

/** Whether a node was read from a row of the warehouse. A stub was not. */
export function isRead({ stub }: NodeRow): boolean {
  return stub !== true;
}

/** Whether the properties of an element were read. They are null beyond the allowed bytes. */
function isWhole({ properties }: { properties: Record<string, unknown> | null }): boolean {
  return properties !== null;
}

/**
 * SQL of the properties of the first rows, up to `bytes` in total, and null for all later rows. PostgreSQL does not send the properties of
 * the later rows.
 */
const within = (properties: string, bytes: string): string =>
  `CASE WHEN sum(octet_length(${properties}::text)) OVER (ROWS UNBOUNDED PRECEDING) <= ${bytes} THEN ${properties} END AS properties`;

/** Reads nodes in the order of `ids`. Missing nodes are left out. */
export async function readNodes(reader: GraphReader, ids: number[]): Promise<NodeRow[]> {
  return (await readElements(reader, ids, [], Number.MAX_SAFE_INTEGER)).nodes;
}

/**
 * Reads nodes and edges in one statement, because a second one would slow down every answer. Both come in the order asked for, without the
 * missing ones.
 * @param propertyBytes the most bytes for the properties of all nodes, and again for the properties of all edges; beyond them properties
 *   are null
 */
export async function readElements(
  reader: GraphReader,
  nodeIds: number[],
  wanted: EdgeRef[],
  propertyBytes: number,
): Promise<{ nodes: NodeRow[]; edges: EdgeRow[] }> {
  if (nodeIds.length + wanted.length === 0) return { nodes: [], edges: [] };
  const rows = await reader.query<(NodeRow | EdgeRow) & { is_node: boolean }>(
    `SELECT found.*, run.job_id, coalesce(run.finished_at, run.started_at, run.created_at) AS loaded_at
       FROM (
         SELECT true AS is_node, n.id, n.label, n.label || n.labels AS labels, NULL AS type, NULL::bigint AS source_id, NULL::bigint AS target_id, n.key, n.display,
                ${within('n.properties', '$6')}, n.run_id, CASE WHEN ${isStub('n')} THEN true END AS stub
           FROM ${reader.tables.nodes} n WHERE n.id = ANY ($1::bigint[])
         UNION ALL
         SELECT false, e.id, NULL, NULL, e.type, e.source_id, e.target_id, e.key, NULL, ${within('e.properties', '$6')}, e.run_id, NULL
           FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[]) AS wanted (source_id, type, target_id, id)
           JOIN ${reader.tables.edges} e
             ON e.source_id = wanted.source_id AND e.type = wanted.type AND e.target_id = wanted.target_id AND e.id = wanted.id
       ) found LEFT JOIN ingestion_runs run ON run.id = found.run_id`,
    [
      nodeIds,
      wanted.map(edge => edge.sourceId),
      wanted.map(edge => edge.type),
      wanted.map(edge => edge.targetId),
      wanted.map(edge => edge.id),
      propertyBytes,
    ],
    'elements',
  );
  const [nodes, edges] = [new Map<number, NodeRow>(), new Map<number, EdgeRow>()];
  for (const row of rows) {
    if (row.is_node) nodes.set(row.id, row as NodeRow);
    else edges.set(row.id, row as EdgeRow);
  }
  return { nodes: nodeIds.flatMap(id => nodes.get(id) ?? []), edges: wanted.flatMap(({ id }) => edges.get(id) ?? []) };
}

export function toAnswerNode({ id, label, labels, key, display, properties, stub }: NodeRow): AnswerNode {
  return { id, label, labels, key, display, properties, ...(stub && { stub }) };
}

export function toAnswerEdge({ id, type, source_id, target_id, key, properties }: EdgeRow): AnswerEdge {
  return { id, type, source_id, target_id, key, properties };
}
