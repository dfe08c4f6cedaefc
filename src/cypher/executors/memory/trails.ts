import { type Direction } from '../../syntax/cypher-ast.js';
import { type GraphArrays } from './memory-graph.js';
import { type Work } from './work.js';

/** One edge of a chain, seen from its left node. */
export interface Hop {
  direction: Direction;
  /** 1 for the types that fit, by number. */
  types: Uint8Array;
}

/** A chain of nodes and single edges: `fits.length === hops.length + 1`. */
export interface Chain {
  hops: Hop[];
  /** Tells whether the node at a place fits the pattern's node i. */
  fits: ((place: number) => boolean)[];
  /** Where matches can start: the places that may fit node 0, each once. */
  starts: Uint32Array;
}

/** How many trails pass through each place of one pattern node. */
export interface Counted {
  places: number[];
  counts: Float64Array;
}

const mostTrailsWalked = 1_000_000;
/** The edges that a walk through trails may look at. It does not pause. */
const mostEdgesWalked = 2_000_000;

/** Chains over a graph in arrays. A walk may take an edge twice, a trail may not; a pattern asks for trails. */
export class Trails {
  constructor(
    private readonly graph: GraphArrays,
    private readonly chain: Chain,
    private readonly work: Work,
  ) {}

  /**
   * Counts the trails by the place of pattern node `wanted`. Null where that takes more than walking a million of them, or the numbers are beyond 2^53. Yields where
   * the query may pause.
   * @param mayRepeat whether an edge of the graph can stand at hops i and j
   */
  *count(wanted: number, mayRepeat: (i: number, j: number) => boolean): Generator<null, Counted | null> {
    const { hops } = this.chain;
    const mayClash = hops.some((_, j) => hops.slice(0, j).some((__, i) => mayRepeat(i, j)));
    const walks = yield* this.countWalks(wanted);
    let total = 0;
    for (const place of walks.places) total += walks.counts[place]!;
    // Beyond it the numbers of a float are no longer exact.
    if (total > Number.MAX_SAFE_INTEGER) return null;
    if (!mayClash) return walks;
    if (hops.length === 2) {
      yield* this.subtractRepeats(walks, wanted);
      return walks;
    }
    if (total > mostTrailsWalked) return null;
    for (const place of walks.places) walks.counts[place] = 0;
    const isWhole = this.walk(mostEdgesWalked, ({ nodes }) => {
      walks.counts[nodes[wanted]!]! += 1;
      return true;
    });
    yield null;
    return isWhole ? walks : null;
  }

  /**
   * Walks trails one after the other, until `take` gives false. It gets the places of the trail's nodes and edges, which change.
   * @returns false if it has looked at `most` edges before it came to an end
   */
  walk(most: number, take: (trail: { nodes: Uint32Array; edges: Uint32Array }) => boolean): boolean {
    const { graph, chain } = this;
    const { hops, fits } = chain;
    const trail = { nodes: new Uint32Array(hops.length + 1), edges: new Uint32Array(hops.length) };
    let looked = 0;
    for (const start of chain.starts) {
      looked += 1;
      if (!fits[0]!(start)) continue;
      trail.nodes[0] = start;
      if (!goOn(0)) break;
    }
    this.work.steps(looked);
    return looked <= most;

    function goOn(at: number): boolean {
      if (at === hops.length) return take(trail);
      const node = trail.nodes[at]!;
      const { direction } = hops[at]!;
      if (direction !== 'in')
        for (let edge = graph.outOffsets[node]!; edge < graph.outOffsets[node + 1]!; edge++)
          if (!step(at, edge, graph.targets[edge]!)) return false;
      if (direction !== 'out')
        for (let i = graph.intoOffsets[node]!; i < graph.intoOffsets[node + 1]!; i++) {
          const edge = graph.intoEdges[i]!;
          if (direction === 'both' && graph.sources[edge] === node) continue;
          if (!step(at, edge, graph.sources[edge]!)) return false;
        }
      return true;
    }

    function step(at: number, edge: number, node: number): boolean {
      looked += 1;
      if (looked > most) return false;
      if (hops[at]!.types[graph.edgeTypes[edge]!] === 0) return true;
      for (let i = 0; i < at; i++) if (trail.edges[i] === edge) return true;
      if (!fits[at + 1]!(node)) return true;
      trail.edges[at] = edge;
      trail.nodes[at + 1] = node;
      return goOn(at + 1);
    }
  }

  /** Spreads the starts along the hops up to the wanted node, and multiplies by the ways from there to the end. */
  private *countWalks(wanted: number): Generator<null, Counted> {
    const { hops, fits, starts } = this.chain;
    let reached: Counted = { places: [], counts: this.zeros() };
    for (const start of starts) {
      this.work.step();
      if (this.work.isDue) yield null;
      if (!fits[0]!(start) || reached.counts[start] !== 0) continue;
      reached.counts[start] = 1;
      reached.places.push(start);
    }
    for (let hop = 0; hop < wanted; hop++) {
      const next: Counted = { places: [], counts: this.zeros() };
      for (const place of reached.places) {
        this.work.steps(this.spread(place, reached.counts[place]!, hop, next));
        if (this.work.isDue) yield null;
      }
      reached = next;
    }
    if (wanted === hops.length) return reached;
    const ways = yield* this.waysToEnd(wanted, reached.places);
    for (const place of reached.places) reached.counts[place]! *= ways[place]!;
    return reached;
  }

  private spread(place: number, count: number, hop: number, into: Counted): number {
    const { outOffsets, targets, intoOffsets, intoEdges, sources, edgeTypes } = this.graph;
    const { direction, types } = this.chain.hops[hop]!;
    const fits = this.chain.fits[hop + 1]!;
    const { counts, places } = into;
    let seen = 1;
    if (direction !== 'in') {
      const end = outOffsets[place + 1]!;
      seen += end - outOffsets[place]!;
      for (let edge = outOffsets[place]!; edge < end; edge++) {
        const target = targets[edge]!;
        if (types[edgeTypes[edge]!] === 0 || !fits(target)) continue;
        if (counts[target] === 0) places.push(target);
        counts[target]! += count;
      }
    }
    if (direction !== 'out') {
      const end = intoOffsets[place + 1]!;
      seen += end - intoOffsets[place]!;
      for (let i = intoOffsets[place]!; i < end; i++) {
        const edge = intoEdges[i]!;
        const source = sources[edge]!;
        if (types[edgeTypes[edge]!] === 0 || (direction === 'both' && source === place) || !fits(source)) continue;
        if (counts[source] === 0) places.push(source);
        counts[source]! += count;
      }
    }
    return seen;
  }

  /** The number of walks from each place of node `from` to the end of the chain. */
  private *waysToEnd(from: number, places: number[]): Generator<null, Float64Array> {
    const { hops } = this.chain;
    const levels: Counted[] = [{ places, counts: this.zeros() }];
    for (let hop = from; hop < hops.length; hop++) {
      const next: Counted = { places: [], counts: this.zeros() };
      for (const place of levels.at(-1)!.places) {
        this.work.steps(this.spread(place, 1, hop, next));
        if (this.work.isDue) yield null;
      }
      levels.push(next);
    }
    levels.at(-1)!.counts.fill(0);
    for (const place of levels.at(-1)!.places) levels.at(-1)!.counts[place] = 1;
    for (let hop = hops.length - 1; hop >= from; hop--) {
      const [here, next] = [levels[hop - from]!, levels[hop - from + 1]!];
      here.counts.fill(0);
      for (const place of here.places) {
        let ways = 0;
        this.work.steps(this.eachNeighbour(place, hop, node => (ways += next.counts[node]!)));
        if (this.work.isDue) yield null;
        here.counts[place] = ways;
      }
    }
    return levels[0]!.counts;
  }

  /** Takes off the walks of two hops that take one edge twice. */
  private *subtractRepeats({ counts }: Counted, wanted: number): Generator<null, void> {
    const { sources, targets, edgeTypes } = this.graph;
    const { hops, fits, starts } = this.chain;
    const second = hops[1]!;
    const seen = new Uint8Array(this.graph.nodeSets.length);
    const nodes = [0, 0, 0];
    for (const start of starts) {
      this.work.step();
      if (this.work.isDue) yield null;
      if (!fits[0]!(start) || seen[start] === 1) continue;
      seen[start] = 1;
      this.work.steps(
        this.eachNeighbour(start, 0, (middle, edge) => {
          if (second.types[edgeTypes[edge]!] === 0) return;
          const outwards = second.direction !== 'in' && sources[edge] === middle;
          const inwards = second.direction !== 'out' && targets[edge] === middle;
          if (!outwards && !inwards) return;
          const end = outwards ? targets[edge]! : sources[edge]!;
          if (!fits[2]!(end)) return;
          [nodes[0], nodes[1], nodes[2]] = [start, middle, end];
          counts[nodes[wanted]!]! -= 1;
        }),
      );
    }
  }

  /** Calls `take` for each edge of a hop from a place. Returns how many edges were looked at. */
  private eachNeighbour(place: number, hop: number, take: (node: number, edge: number) => void): number {
    const { outOffsets, targets, intoOffsets, intoEdges, sources, edgeTypes } = this.graph;
    const { direction, types } = this.chain.hops[hop]!;
    const fits = this.chain.fits[hop + 1]!;
    let seen = 1;
    if (direction !== 'in')
      for (let edge = outOffsets[place]!; edge < outOffsets[place + 1]!; edge++, seen++)
        if (types[edgeTypes[edge]!] === 1 && fits(targets[edge]!)) take(targets[edge]!, edge);
    if (direction !== 'out')
      for (let i = intoOffsets[place]!; i < intoOffsets[place + 1]!; i++, seen++) {
        const edge = intoEdges[i]!;
        if (types[edgeTypes[edge]!] === 0 || (direction === 'both' && sources[edge] === place) || !fits(sources[edge]!)) continue;
        take(sources[edge]!, edge);
      }
    return seen;
  }

  private zeros(): Float64Array {
    return new Float64Array(this.graph.nodeSets.length);
  }
}
