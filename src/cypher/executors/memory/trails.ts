import { type Direction } from '../../syntax/cypher-ast.js';
import { type Chain, type Hop, opposite } from './chain.js';
import { type Counted, giveCounted } from './counted.js';
import { edgeFactsOf } from './edge-facts.js';
import { EdgesAhead } from './edges-ahead.js';
import { type GraphArrays } from './memory-graph.js';
import { WalkCounts } from './walk-counts.js';
import { type ArrayHolding, type Work } from './work.js';

const mostTrailsWalked = 1_000_000;
/** Maximum edges that a walk through trails may read. */
const mostEdgesWalked = 2_000_000;
/** Edges between two pauses. Each edge may need a condition, which takes up to some microseconds. */
const edgesAtOnce = 10_000;

/** The places of the nodes and edges of a trail. */
export interface Trail {
  nodes: Uint32Array;
  edges: Uint32Array;
}

/** Walks along a chain over a graph in arrays. A walk may use an edge twice, a trail may not; openCypher matches trails. */
export class Trails {
  constructor(
    private readonly graph: GraphArrays,
    private readonly chain: Chain,
    private readonly work: Work,
    private readonly held: ArrayHolding,
  ) {}

  /**
   * Counts the trails by the node at position `at` of the chain. Null if more than a million trails would have to be walked, or if a count
   * is beyond 2^53. Yields where the query may pause. The caller returns the result with `giveCounted`.
   */
  *count(at: number): Generator<null, Counted | null> {
    const { hops } = this.chain;
    const walks = new WalkCounts(this.graph, this.chain, this.work, this.held);
    const counted = yield* walks.to(at);
    const { places, counts } = counted;
    if (at < hops.length) {
      const ways = yield* walks.from(at, counted);
      for (let i = 0; i < counted.size; i++) counts[places[i]!]! *= ways.counts[places[i]!]!;
      giveCounted(ways);
    }
    const total = totalOf(counted);
    // Beyond 2^53 a float no longer holds every integer.
    if (total > Number.MAX_SAFE_INTEGER) return null;
    if (!hops.some((hop, j) => hops.slice(0, j).some(before => clash(before, hop)))) return counted;
    if (hops.length === 2) {
      yield* this.subtractRepeats(counted, at);
      return counted;
    }
    if (total > mostTrailsWalked) return null;
    for (let i = 0; i < counted.size; i++) counts[places[i]!] = 0;
    const isWhole = yield* this.walk(mostEdgesWalked, ({ nodes }) => {
      counts[nodes[at]!]! += 1;
      return true;
    });
    return isWhole ? counted : null;
  }

  /**
   * Walks trails one after the other, until `take` returns false. The trail that `take` gets is the same object each time. Yields where the
   * query may pause.
   * @returns false if the walk was broken off after `most` edges
   */
  *walk(most: number, take: (trail: Trail) => boolean): Generator<null, boolean> {
    const { graph, chain, work } = this;
    const { hops, filters } = chain;
    const trail = { nodes: new Uint32Array(hops.length + 1), edges: new Uint32Array(hops.length) };
    const ahead = hops.map(({ direction }) => new EdgesAhead(graph, direction));
    let [looked, counted] = [0, 0];
    for (const start of chain.starts) {
      looked += 1;
      if (looked > most) break;
      if (filters[0]?.fits(start) === false) continue;
      trail.nodes[0] = start;
      if (hops.length === 0 && !take(trail)) break;
      ahead[0]?.from(start);
      let at = hops.length === 0 ? -1 : 0;
      while (at >= 0) {
        if (looked - counted >= edgesAtOnce) {
          work.steps(looked - counted);
          counted = looked;
          if (work.isDue) yield null;
        }
        const next = ahead[at]!;
        if (!next.go()) {
          at -= 1;
          continue;
        }
        looked += 1;
        if (looked > most) break;
        if (!this.fits(trail, at, next)) continue;
        trail.edges[at] = next.edge;
        trail.nodes[at + 1] = next.node;
        if (at + 1 < hops.length) ahead[++at]!.from(next.node);
        else if (!take(trail)) return this.walked(looked, counted, most);
      }
      if (looked > most) break;
    }
    return this.walked(looked, counted, most);
  }

  private walked(looked: number, counted: number, most: number): boolean {
    this.work.steps(looked - counted);
    return looked <= most;
  }

  private fits({ edges }: Trail, at: number, { edge, node }: EdgesAhead): boolean {
    const { hops, filters } = this.chain;
    if (hops[at]!.types[this.graph.edgeTypes[edge]!] === 0) return false;
    for (let i = 0; i < at; i++) if (edges[i] === edge) return false;
    return filters[at + 1]?.fits(node) !== false;
  }

  /** Subtracts the walks of two hops that use one edge twice: there and back, counted as walks of one hop, or twice around a loop. */
  private *subtractRepeats({ counts }: Counted, at: number): Generator<null, void> {
    const { chain, graph, work, held } = this;
    const [first, second] = [chain.hops[0]!, chain.hops[1]!];
    const types = first.types.map((fits, type) => fits & second.types[type]!);
    const direction = thereAndBack(first.direction, second.direction);
    if (direction === null) return yield* this.subtractLoops(counts, types);
    const [start, middle, end] = chain.filters;
    const ends = start ? start.and(end!) : end!;
    const walks = new WalkCounts(graph, { ...chain, hops: [{ direction, types }], filters: [ends, middle!] }, work, held);
    if (at === 1) {
      const repeats = yield* walks.to(1);
      for (let i = 0; i < repeats.size; i++) counts[repeats.places[i]!]! -= repeats.counts[repeats.places[i]!]!;
      giveCounted(repeats);
    } else {
      const starts = yield* walks.to(0);
      const repeats = yield* walks.from(0, starts);
      for (let i = 0; i < starts.size; i++) counts[starts.places[i]!]! -= repeats.counts[starts.places[i]!]!;
      giveCounted(starts);
      giveCounted(repeats);
    }
  }

  private *subtractLoops(counts: Float64Array, types: Uint8Array): Generator<null, void> {
    const { chain, graph, work } = this;
    const take = (edge: number) => {
      const place = graph.sources[edge]!;
      if (types[graph.edgeTypes[edge]!] === 1 && chain.filters.every(filter => filter?.fits(place) !== false)) counts[place]! -= 1;
    };
    if (chain.isWide) {
      const { loops } = yield* edgeFactsOf(graph);
      const isStart = new Uint8Array(graph.nodeSets.length);
      for (const start of chain.starts) isStart[start] = 1;
      for (const edge of loops) if (isStart[graph.sources[edge]!] === 1) take(edge);
      work.steps(loops.length);
    } else
      for (const start of chain.starts) {
        const end = graph.outOffsets[start + 1]!;
        for (let edge = graph.outOffsets[start]!; edge < end; edge++) if (graph.targets[edge] === start) take(edge);
        work.steps(end - graph.outOffsets[start]! + 1);
        if (work.isDue) yield null;
      }
  }
}

export function totalOf({ places, size, counts }: Counted): number {
  let total = 0;
  for (let i = 0; i < size; i++) total += counts[places[i]!]!;
  return total;
}

/** Whether two hops can follow the same edge: whether one type fits both. */
function clash(a: Hop, b: Hop): boolean {
  return a.types.some((fits, type) => fits === 1 && b.types[type] === 1);
}

/** The direction of a first hop whose edge the second hop can follow back. Null if there is none. */
function thereAndBack(first: Direction, second: Direction): Direction | null {
  const back = opposite(second);
  if (first === 'both') return back;
  return back === 'both' || back === first ? first : null;
}
