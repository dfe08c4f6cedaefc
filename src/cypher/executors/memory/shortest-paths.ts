import { type Direction } from '../../syntax/cypher-ast.js';
import { type EdgeValue, type NodeValue } from '../../values/cypher-value.js';
import { otherEnd, type WalkOptions } from './walk-edges.js';

/**
 * Gives the shortest paths between two nodes as edges in order, by breadth-first search; null where the query may pause. Two nodes that
 * are the same have the empty path, if `least` is 0, and no other.
 */
export function* findShortestPaths(
  start: NodeValue,
  end: NodeValue,
  direction: Direction,
  { graph, work, types, least, most, taken, fits }: WalkOptions,
): Generator<EdgeValue[] | null> {
  if (start.id === end.id) {
    if (least === 0) yield [];
    return;
  }
  /** For each node the edges by which a shortest path comes to it. */
  const into = new Map<number, EdgeValue[]>();
  const distances = new Map<number, number>([[start.id, 0]]);
  let frontier = [start];
  for (let distance = 1; frontier.length > 0 && distance <= most && !distances.has(end.id); distance++) {
    const reached: NodeValue[] = [];
    for (const node of frontier) {
      for (const edge of graph.edgesOf(node, direction, types)) {
        work.step();
        if (work.isDue) yield null;
        if (taken.has(edge.id) || (fits && !fits(edge))) continue;
        const other = otherEnd(graph, edge, node);
        const known = distances.get(other.id);
        if (known !== undefined && known < distance) continue;
        if (known === undefined) {
          distances.set(other.id, distance);
          reached.push(other);
          work.holdBytes(32);
        }
        const edges = into.get(other.id) ?? [];
        edges.push(edge);
        into.set(other.id, edges);
      }
    }
    frontier = reached;
  }
  if (!distances.has(end.id) || distances.get(end.id)! < least) return;
  yield* backwards(end, []);

  function* backwards(node: NodeValue, edges: EdgeValue[]): Generator<EdgeValue[] | null> {
    if (node.id === start.id) {
      yield [...edges].reverse();
      return;
    }
    for (const edge of into.get(node.id) ?? []) {
      work.step();
      if (work.isDue) yield null;
      yield* backwards(otherEnd(graph, edge, node), [...edges, edge]);
    }
  }
}
