import { type Direction } from '../../syntax/cypher-ast.js';
import { type EdgeValue, type NodeValue } from '../../values/cypher-value.js';
import { mostLooked } from './behind.js';
import { type MemoryGraph } from './memory-graph.js';
import { type Work } from './work.js';

export interface WalkOptions {
  graph: MemoryGraph;
  work: Work;
  /** The types of edges that may be walked; empty for any type. */
  types: readonly string[];
  /** Minimum number of edges of a walk; `most` is the maximum. */
  least: number;
  most: number;
  /** The ids of edges that may not be walked. A walk adds the ids of its own edges while it lasts. */
  taken: Set<number>;
  fits: ((edge: EdgeValue) => boolean) | null;
}

/**
 * Current state of a walk. All walks from a node share this object, and the next step changes it, so yielding a long walk costs no more
 * than yielding a short one. A caller that keeps the edges copies them.
 */
export class Walk {
  /** Edges in the order that they were walked. */
  readonly edges: EdgeValue[] = [];
  /** Nodes that the walk has passed, from its start on: one before each edge. `end` is not among them. */
  readonly through: NodeValue[] = [];
  private beginning: EdgeValue[] | null = null;

  constructor(public end: NodeValue) {}

  /**
   * The first `mostLooked` edges of the walk, since the evidence of a row needs no more. The list must not be changed: longer walks that
   * begin with the same edges share it.
   */
  get firstEdges(): readonly EdgeValue[] {
    if (this.beginning) return this.beginning;
    const first = this.edges.slice(0, mostLooked);
    if (this.edges.length >= mostLooked) this.beginning = first;
    return first;
  }

  /** The nodes at both ends of each of the first `mostLooked` edges, in the order of the walk. */
  get firstNodes(): NodeValue[] {
    const first = this.through.slice(0, mostLooked + 1);
    if (first.length === this.through.length) first.push(this.end);
    return first;
  }

  /** Drops the cached first edges, because they have changed. */
  forget(): void {
    this.beginning = null;
  }
}

/** Work units to read an edge and the node behind it, without the units of `step()`. */
export const unitsOfEdge = 30;
/** Bytes that a walk holds for each edge: the edge, and the iterator over the edges of its node. */
const bytesOfStep = 300;
/** The bytes of a walk are counted in blocks of this many edges. A shorter walk counts none. */
const stepsHeldAtOnce = 1_024;

/** Walks from a node along edges, depth first, each edge at most once. Yields null where the query may pause. */
export function* walkEdges(start: NodeValue, direction: Direction, options: WalkOptions): Generator<Walk | null> {
  const { graph, work, types, least, most, taken, fits } = options;
  const walk = new Walk(start);
  const { edges, through } = walk;
  if (least === 0) yield walk;
  if (most === 0) return;
  through.push(start);
  const open = [edgesFrom(start)];
  let counted = stepsHeldAtOnce;
  try {
    while (open.length > 0) {
      work.step();
      if (work.isDue) yield null;
      const found = open[open.length - 1]!.next();
      if (found.done) {
        open.pop();
        through.pop();
        if (edges.length > 0) goBack();
        continue;
      }
      const edge = found.value;
      work.spend(unitsOfEdge);
      if (taken.has(edge.id) || (fits && !fits(edge))) continue;
      const node = otherEnd(graph, edge, through[through.length - 1]!);
      edges.push(edge);
      taken.add(edge.id);
      walk.end = node;
      if (edges.length >= least) yield walk;
      if (edges.length === most) {
        goBack();
        continue;
      }
      through.push(node);
      open.push(edgesFrom(node));
      if (open.length > counted) {
        counted += stepsHeldAtOnce;
        work.holdBytes(bytesOfStep * stepsHeldAtOnce);
      }
    }
  } finally {
    work.holdBytes(bytesOfStep * (stepsHeldAtOnce - counted));
  }

  function edgesFrom(node: NodeValue): Iterator<EdgeValue> {
    return graph.edgesOf(node, direction, types)[Symbol.iterator]();
  }

  function goBack(): void {
    taken.delete(edges.pop()!.id);
    if (edges.length < mostLooked) walk.forget();
  }
}

export function otherEnd(graph: MemoryGraph, { source, target }: EdgeValue, { id }: NodeValue): NodeValue {
  return graph.nodeById(source === id ? target : source);
}
