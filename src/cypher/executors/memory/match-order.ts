import { type PatternEdge, type PatternGraph, type PatternNode } from './pattern-graph.js';

/**
 * The order in which the nodes and edges of a pattern are bound. The work grows in proportion to the size of the pattern: each node and
 * each edge is visited a few times.
 */
export class MatchOrder {
  private readonly bound = new Set<number>();
  private readonly edgesAt = new Map<number, PatternEdge[]>();
  private readonly places: ReadonlyMap<PatternEdge, number>;
  private readonly left: Set<PatternEdge>;
  /** The edges that are not bound yet and have a bound end. */
  private readonly begun = new Set<PatternEdge>();
  /**
   * Nodes in the order in which a match prefers to start at them: nodes with edges, and all nodes. The nodes before index `next` of each
   * list are bound, or have no edge left to bind.
   */
  private readonly starts: { withEdges: PatternNode[]; all: PatternNode[] };
  private readonly next = { withEdges: 0, all: 0 };

  constructor(private readonly graph: PatternGraph) {
    const { nodes, edges } = graph;
    this.places = new Map(edges.map((edge, i) => [edge, i]));
    this.left = new Set(edges);
    for (const edge of edges)
      for (const end of new Set([edge.left, edge.right])) {
        const known = this.edgesAt.get(nodes[end]!.slot);
        if (known) known.push(edge);
        else this.edgesAt.set(nodes[end]!.slot, [edge]);
      }
    const rank = (node: PatternNode) => (node.properties.length > 0 ? 2 : 0) + (node.labels.length > 0 ? 1 : 0);
    const all = nodes.toSorted((a, b) => rank(b) - rank(a));
    this.starts = { all, withEdges: all.filter(({ slot }) => this.edgesAt.has(slot)) };
  }

  /** Records that the node in a slot is bound, so that edges may be followed from it. */
  bind(slot: number): void {
    if (this.bound.has(slot)) return;
    this.bound.add(slot);
    for (const edge of this.edgesAt.get(slot) ?? []) if (this.left.has(edge)) this.begun.add(edge);
  }

  take(edge: PatternEdge): void {
    this.left.delete(edge);
    this.begun.delete(edge);
  }

  /** The edges that are not bound yet. */
  get edgesLeft(): ReadonlySet<PatternEdge> {
    return this.left;
  }

  /**
   * The next edge to follow. Edges with two bound ends come first, then edges of fixed length, then edges that come earlier in the text. A
   * shortest path needs two bound ends, any other edge one. Undefined if no edge is ready.
   */
  nextEdge(isReady: (edge: PatternEdge) => boolean): PatternEdge | undefined {
    let [best, most]: [PatternEdge | undefined, number] = [undefined, 0];
    for (const edge of this.begun) {
      const ends = this.boundEnds(edge);
      if (ends === 1 && edge.shortest !== null) continue;
      const rank = ends * 2 + (edge.length === null ? 1 : 0);
      if (rank < most || (rank === most && best && this.places.get(best)! < this.places.get(edge)!) || !isReady(edge)) continue;
      [best, most] = [edge, rank];
    }
    return best;
  }

  /**
   * The next node to start from: first nodes with edges that are not bound yet, then nodes with properties, then nodes with a label, then
   * any node. Undefined if all nodes are bound.
   */
  nextStart(): PatternNode | undefined {
    const isFree = ({ slot }: PatternNode) => !this.bound.has(slot);
    const isWanted = (node: PatternNode) => isFree(node) && this.edgesAt.get(node.slot)!.some(edge => this.left.has(edge));
    return this.skipTo('withEdges', isWanted) ?? this.skipTo('all', isFree);
  }

  private skipTo(which: 'withEdges' | 'all', isMeant: (node: PatternNode) => boolean): PatternNode | undefined {
    const nodes = this.starts[which];
    for (; this.next[which] < nodes.length; this.next[which]++) if (isMeant(nodes[this.next[which]]!)) return nodes[this.next[which]];
    return undefined;
  }

  private boundEnds({ left, right }: PatternEdge): number {
    const { nodes } = this.graph;
    return Number(this.bound.has(nodes[left]!.slot)) + Number(this.bound.has(nodes[right]!.slot));
  }
}
