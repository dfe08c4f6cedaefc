import { type Direction } from '../../syntax/cypher-ast.js';
import { type EdgeValue, type NodeValue } from '../../values/cypher-value.js';
import { otherEnd, unitsOfEdge, type WalkOptions } from './walk-edges.js';
import { bytesOfElements, bytesOfSlots } from '../../values/value-size.js';
import { type Work } from './work.js';

const bytesOfReached = 32;
/** Bytes of an edge in the list of edges that lead to a node. */
const bytesOfInto = bytesOfElements(1) + bytesOfSlots(1);

/**
 * Finds the shortest paths between two nodes, or one of them, by breadth-first search. Yields the edges of each path in order, and null
 * where the query may pause. Between a node and itself there is only the empty path, and only if `least` is 0.
 */
export function* findShortestPaths(
  start: NodeValue,
  end: NodeValue,
  direction: Direction,
  options: WalkOptions,
  wanted: 'one' | 'all',
): Generator<EdgeValue[] | null> {
  const { graph, work, types, least, most, taken, fits } = options;
  if (start.id === end.id) {
    if (least === 0) yield [];
    return;
  }
  /** For each node, the last edges of the shortest paths from the start to it. */
  const into = new Map<number, EdgeValue[]>();
  const distances = new Map<number, number>([[start.id, 0]]);
  const held = work.holding();
  try {
    let frontier = [start];
    for (let distance = 1; frontier.length > 0 && distance <= most && !distances.has(end.id); distance++) {
      const reached: NodeValue[] = [];
      for (const node of frontier) {
        for (const edge of graph.edgesOf(node, direction, types)) {
          work.step();
          work.spend(unitsOfEdge);
          if (work.isDue) yield null;
          if (taken.has(edge.id) || (fits && !fits(edge))) continue;
          const other = otherEnd(graph, edge, node);
          const known = distances.get(other.id);
          if (known !== undefined && (known < distance || wanted === 'one')) continue;
          if (known === undefined) {
            distances.set(other.id, distance);
            reached.push(other);
            held.add(bytesOfReached);
          }
          held.add(bytesOfInto);
          const edges = into.get(other.id) ?? [];
          edges.push(edge);
          into.set(other.id, edges);
        }
      }
      frontier = reached;
    }
    if (distances.has(end.id) && distances.get(end.id)! >= least) yield* backwards(start, end, into, options);
  } finally {
    held.release();
  }
}

/** Yields the paths depth first, by going back from the end along the edges in `into`. */
function* backwards(
  start: NodeValue,
  end: NodeValue,
  into: ReadonlyMap<number, readonly EdgeValue[]>,
  { graph, work }: WalkOptions,
): Generator<EdgeValue[] | null> {
  const walked: EdgeValue[] = [];
  const open = [{ node: end, next: 0 }];
  while (open.length > 0) {
    work.step();
    if (work.isDue) yield null;
    const at = open.at(-1)!;
    const edge = at.node.id === start.id ? undefined : into.get(at.node.id)?.[at.next++];
    if (edge) {
      walked.push(edge);
      open.push({ node: otherEnd(graph, edge, at.node), next: 0 });
      continue;
    }
    if (at.node.id === start.id) yield reversed(walked, work);
    open.pop();
    walked.pop();
  }
}

function reversed(edges: readonly EdgeValue[], work: Work): EdgeValue[] {
  work.spend(edges.length);
  return edges.toReversed();
}
