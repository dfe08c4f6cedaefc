import { type GraphReader } from './retrieval-database.js';
import { type ToOne } from '../../questions/planning/schema-paths.js';

const mostSteps = 3;
const mostPerNode = 6;

/**
 * A node to which a hit belongs: the hit's parent (`step` 1), its parent's parent and so on. `type` and `direction` describe the edge that
 * leads to it from the step before.
 */
export interface ContextNode {
  step: number;
  type: string;
  direction: 'out' | 'in';
  id: number;
  label: string;
  key: string;
  display: string;
}

interface Link {
  from_id: number;
  type: string;
  direction: 'out' | 'in';
  id: number;
  label: string;
  key: string;
  display: string;
}

/**
 * Reads the nodes to which each node belongs, the nearest first, by the id of the node. Follows up to three edges in a row, each of a type
 * that leads to one node only.
 */
export async function readContext(reader: GraphReader, nodeIds: number[], toOne: ToOne): Promise<Map<number, ContextNode[]>> {
  const context = new Map<number, ContextNode[]>(nodeIds.map(id => [id, []]));
  if (toOne.outgoing.length === 0 && toOne.incoming.length === 0) return context;
  const links = new Map<number, Link[]>();
  let frontier = [...new Set(nodeIds)];
  for (let step = 1; step <= mostSteps && frontier.length > 0; step++) {
    const found = await readLinks(reader, frontier, toOne);
    for (const id of frontier) links.set(id, []);
    for (const link of found) links.get(link.from_id)?.push(link);
    frontier = [...new Set(found.map(link => link.id))].filter(id => !links.has(id));
  }
  for (const id of context.keys()) context.set(id, climb(id, links));
  return context;
}

function climb(start: number, links: ReadonlyMap<number, Link[]>): ContextNode[] {
  const found: ContextNode[] = [];
  const seen = new Set([start]);
  let frontier = [start];
  for (let step = 1; step <= mostSteps && frontier.length > 0; step++) {
    const next: number[] = [];
    for (const link of frontier.flatMap(id => links.get(id) ?? [])) {
      if (seen.has(link.id) || found.length >= mostPerNode) continue;
      seen.add(link.id);
      next.push(link.id);
      const { type, direction, id, label, key, display } = link;
      found.push({ step, type, direction, id, label, key, display });
    }
    frontier = next;
  }
  return found;
}

async function readLinks(reader: GraphReader, nodeIds: number[], toOne: ToOne): Promise<Link[]> {
  const { nodes, edges } = reader.tables;
  return reader.query<Link>(
    `SELECT e.source_id AS from_id, e.type, 'out' AS direction, n.id, n.label, n.key, n.display
       FROM ${edges} e JOIN ${nodes} n ON n.id = e.target_id
      WHERE e.source_id = ANY ($1::bigint[]) AND e.type = ANY ($2)
      UNION ALL
     SELECT e.target_id, e.type, 'in', n.id, n.label, n.key, n.display
       FROM ${edges} e JOIN ${nodes} n ON n.id = e.source_id
      WHERE e.target_id = ANY ($1::bigint[]) AND e.type = ANY ($3)
      ORDER BY 1, 3 DESC, 2, 4`,
    [nodeIds, toOne.outgoing, toOne.incoming],
  );
}
