import { type Direction } from '../../syntax/cypher-ast.js';
import { type EdgeValue, type NodeValue } from '../../values/cypher-value.js';
import { type MemoryGraph } from './memory-graph.js';
import { type Work } from './work.js';

/** To look at an edge and the node behind it, besides the step. */
const unitsOfEdge = 15;

export interface WalkOptions {
  graph: MemoryGraph;
  work: Work;
  /** Empty for any type. */
  types: readonly string[];
  /** The numbers of edges in a row. */
  least: number;
  most: number;
  /** The ids of edges that may not be walked. The walk adds its own while it lasts. */
  taken: Set<number>;
  fits: ((edge: EdgeValue) => boolean) | null;
}

export interface Walk {
  /** In the order that they were walked. It changes with the next step. */
  edges: readonly EdgeValue[];
  node: NodeValue;
}

/** Walks from a node along edges, depth first, no edge twice. Null where the query may pause. */
export function* walkEdges(start: NodeValue, direction: Direction, options: WalkOptions): Generator<Walk | null> {
  const { graph, work, types, least, most, taken, fits } = options;
  const edges: EdgeValue[] = [];
  if (least === 0) yield { edges, node: start };
  if (most === 0) return;
  const open = [{ node: start, next: graph.edgesOf(start, direction, types)[Symbol.iterator]() }];
  while (open.length > 0) {
    const { node, next } = open.at(-1)!;
    work.step();
    if (work.isDue) yield null;
    const found = next.next();
    if (found.done) {
      open.pop();
      const last = edges.pop();
      if (last) taken.delete(last.id);
      continue;
    }
    const edge = found.value;
    work.spend(unitsOfEdge);
    if (taken.has(edge.id) || (fits && !fits(edge))) continue;
    const other = otherEnd(graph, edge, node);
    edges.push(edge);
    taken.add(edge.id);
    if (edges.length >= least) yield { edges, node: other };
    if (edges.length < most) open.push({ node: other, next: graph.edgesOf(other, direction, types)[Symbol.iterator]() });
    else {
      edges.pop();
      taken.delete(edge.id);
    }
  }
}

export function otherEnd(graph: MemoryGraph, { source, target }: EdgeValue, { id }: NodeValue): NodeValue {
  return graph.nodeById(source === id ? target : source);
}
