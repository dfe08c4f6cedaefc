import { type Chain, type Hop, reversed } from './chain.js';
import { type Counted, giveCounted, onesOf, takeCounted } from './counted.js';
import { EdgesAhead } from './edges-ahead.js';
import { type GraphArrays } from './memory-graph.js';
import { bytesOfNeighbours, type Neighbours, neighboursOf } from './neighbours.js';
import { type NodeFilter } from './node-filter.js';
import { type ArrayHolding, type Work } from './work.js';

/** Edges between two pauses. Each edge may need a condition, which takes up to some microseconds. */
const edgesAtOnce = 20_000;

/** Counts walks along a chain. A walk may take an edge twice. The caller returns each result with `giveCounted`. */
export class WalkCounts {
  private readonly heldNeighbours = new Set<Neighbours>();

  constructor(
    private readonly graph: GraphArrays,
    private readonly chain: Chain,
    private readonly work: Work,
    private readonly held: ArrayHolding,
  ) {}

  /** Counts the walks from the starts of the chain to each node at position `end`. Yields where the query may pause. */
  *to(end: number): Generator<null, Counted> {
    const { chain } = this;
    if (end > 0 && chain.filters[0] === null && chain.isWide) {
      const back = yield* this.across(reversed(chain.hops[0]!));
      if (back) return yield* this.spread(yield* this.fitting(back, chain.filters[1]!), 1, end);
    }
    return yield* this.spread(yield* this.starts(), 0, end);
  }

  /** Counts the walks from each of the nodes at position `from` to the end of the chain. */
  *from(from: number, starts: Counted): Generator<null, Counted> {
    const { places, size } = starts;
    const { chain, work } = this;
    const last = chain.hops.length - 1;
    if (from === last) yield* this.askAcross(from, starts);
    const neighbours = chain.isWide ? yield* this.across(chain.hops[from]!) : null;
    let filter: NodeFilter | null = chain.filters[from + 1] ?? null;
    if (from === last && !filter && neighbours) {
      const ways = onesOf(starts);
      for (let i = 0; i < size; i++) ways.counts[places[i]!] = degreeOf(neighbours, places[i]!);
      return ways;
    }
    let beyond: Uint8Array | Float64Array | null = from === last && chain.isWide && filter ? filter.mask() : null;
    let further: Counted | null = null;
    if (from < last) {
      const reached = yield* this.spread(onesOf(starts), from, from + 1);
      further = yield* this.from(from + 1, reached);
      giveCounted(reached);
      beyond = further.counts;
    }
    // `beyond` is 0 for each node that the filter rejects, so the filter is not needed.
    if (beyond) filter = null;
    const ways = onesOf(starts);
    for (let at = 0; at < size;) {
      at =
        neighbours && beyond
          ? this.gatherFrom(neighbours, beyond, { places, size }, at, ways.counts)
          : this.gather({ places, size }, at, from, filter, beyond, ways.counts);
      if (work.isDue) yield null;
    }
    if (further) giveCounted(further);
    return ways;
  }

  private *starts(): Generator<null, Counted> {
    const { starts, filters } = this.chain;
    const found = this.nothing();
    const filter = filters[0];
    if (filter && !filter.isQuick) yield* filter.askOf(starts, this.work);
    for (let i = 0; i < starts.length; i++) {
      if (i % edgesAtOnce === edgesAtOnce - 1) yield null;
      const start = starts[i]!;
      if (filter && !filter.fits(start)) continue;
      found.counts[start] = 1;
      found.places[found.size++] = start;
    }
    this.work.steps(starts.length);
    return found;
  }

  /** The nodes that fit and have neighbours, each with the number of its neighbours as count. */
  private *fitting(neighbours: Neighbours, filter: NodeFilter | null): Generator<null, Counted> {
    if (filter && !filter.isQuick) yield* filter.askOf(placesWith(neighbours), this.work);
    const found = this.nothing();
    const count = this.graph.nodeSets.length;
    for (let place = 0; place < count; place++) {
      if (place % edgesAtOnce === edgesAtOnce - 1) yield null;
      const degree = degreeOf(neighbours, place);
      if (degree === 0 || (filter && !filter.fits(place))) continue;
      found.counts[place] = degree;
      found.places[found.size++] = place;
    }
    this.work.steps(count);
    return found;
  }

  /**
   * Extends the walks in `from` over the hops from `hop` up to position `end`, and counts them. Returns `from` to the pool, unless it is
   * the result.
   */
  private *spread(from: Counted, hop: number, end: number): Generator<null, Counted> {
    let reached = from;
    for (let i = hop; i < end; i++) {
      yield* this.askAcross(i, reached);
      const next = this.nothing();
      const neighbours = this.chain.isWide ? yield* this.across(this.chain.hops[i]!) : null;
      for (let at = 0; at < reached.size;) {
        at = neighbours ? this.pushTo(neighbours, reached, at, this.chain.filters[i + 1]!, next) : this.push(reached, at, i, next);
        if (this.work.isDue) yield null;
      }
      listInOrder(next);
      giveCounted(reached);
      reached = next;
    }
    return reached;
  }

  /** Like `push`, over precomputed neighbours. */
  private pushTo({ offsets, places: others }: Neighbours, from: Counted, at: number, filter: NodeFilter | null, next: Counted): number {
    const { places, size, counts } = from;
    const { counts: sums, places: found } = next;
    let [seen, i, reached] = [0, at, next.size];
    for (; i < size && seen < edgesAtOnce; i++) {
      const place = places[i]!;
      const count = counts[place]!;
      const end = offsets[place + 1]!;
      seen += 1 + end - offsets[place]!;
      for (let j = offsets[place]!; j < end; j++) {
        const other = others[j]!;
        const sum = sums[other]!;
        if (sum === 0) {
          if (filter && !filter.fits(other)) continue;
          found[reached++] = other;
        }
        sums[other] = sum + count;
      }
    }
    next.size = reached;
    this.work.steps(seen);
    return i;
  }

  /** Like `gather`, over precomputed neighbours. */
  private gatherFrom(
    { offsets, places: others }: Neighbours,
    beyond: Uint8Array | Float64Array,
    { places, size }: Pick<Counted, 'places' | 'size'>,
    at: number,
    ways: Float64Array,
  ): number {
    let [seen, i] = [0, at];
    for (; i < size && seen < edgesAtOnce; i++) {
      const place = places[i]!;
      const end = offsets[place + 1]!;
      seen += 1 + end - offsets[place]!;
      let sum = 0;
      for (let j = offsets[place]!; j < end; j++) sum += beyond[others[j]!]!;
      ways[place] = sum;
    }
    this.work.steps(seen);
    return i;
  }

  /**
   * Adds the counts of nodes, from index `at` of the list on, to their neighbours. Stops after `edgesAtOnce` edges and returns the next
   * index.
   */
  private push({ places, size, counts }: Counted, at: number, hop: number, next: Counted): number {
    const { outOffsets, targets, intoOffsets, intoEdges, sources, edgeTypes } = this.graph;
    const { direction, types } = this.chain.hops[hop]!;
    const filter = this.chain.filters[hop + 1]!;
    const { counts: sums, places: found } = next;
    let [seen, i, reached] = [0, at, next.size];
    for (; i < size && seen < edgesAtOnce; i++) {
      const place = places[i]!;
      const count = counts[place]!;
      seen += 1;
      if (direction !== 'in') {
        const end = outOffsets[place + 1]!;
        seen += end - outOffsets[place]!;
        for (let edge = outOffsets[place]!; edge < end; edge++) {
          if (types[edgeTypes[edge]!] === 0) continue;
          const target = targets[edge]!;
          const sum = sums[target]!;
          if (sum === 0) {
            if (filter && !filter.fits(target)) continue;
            found[reached++] = target;
          }
          sums[target] = sum + count;
        }
      }
      if (direction !== 'out') {
        const end = intoOffsets[place + 1]!;
        seen += end - intoOffsets[place]!;
        for (let j = intoOffsets[place]!; j < end; j++) {
          const edge = intoEdges[j]!;
          if (types[edgeTypes[edge]!] === 0) continue;
          const source = sources[edge]!;
          if (direction === 'both' && source === place) continue;
          const sum = sums[source]!;
          if (sum === 0) {
            if (filter && !filter.fits(source)) continue;
            found[reached++] = source;
          }
          sums[source] = sum + count;
        }
      }
    }
    next.size = reached;
    this.work.steps(seen);
    return i;
  }

  /**
   * Sums `beyond` (1 if null) over the fitting neighbours of nodes, from index `at` of the list on. Stops like `push` and returns the next
   * index.
   */
  private gather(
    { places, size }: Pick<Counted, 'places' | 'size'>,
    at: number,
    hop: number,
    filter: NodeFilter | null,
    beyond: Uint8Array | Float64Array | null,
    ways: Float64Array,
  ): number {
    const { outOffsets, targets, intoOffsets, intoEdges, sources, edgeTypes } = this.graph;
    const { direction, types } = this.chain.hops[hop]!;
    let [seen, i] = [0, at];
    for (; i < size && seen < edgesAtOnce; i++) {
      const place = places[i]!;
      let sum = 0;
      seen += 1;
      if (direction !== 'in') {
        const end = outOffsets[place + 1]!;
        seen += end - outOffsets[place]!;
        for (let edge = outOffsets[place]!; edge < end; edge++) {
          if (types[edgeTypes[edge]!] === 0) continue;
          const target = targets[edge]!;
          if (beyond) sum += beyond[target]!;
          else if (!filter || filter.fits(target)) sum += 1;
        }
      }
      if (direction !== 'out') {
        const end = intoOffsets[place + 1]!;
        seen += end - intoOffsets[place]!;
        for (let j = intoOffsets[place]!; j < end; j++) {
          const edge = intoEdges[j]!;
          if (types[edgeTypes[edge]!] === 0) continue;
          const source = sources[edge]!;
          if (direction === 'both' && source === place) continue;
          if (beyond) sum += beyond[source]!;
          else if (!filter || filter.fits(source)) sum += 1;
        }
      }
      ways[place] = sum;
    }
    this.work.steps(seen);
    return i;
  }

  /** Returns the neighbours across a hop. Null if they are too many to be cached, or too many for the query to hold. */
  private *across(hop: Hop): Generator<null, Neighbours | null> {
    const neighbours = yield* neighboursOf(this.graph, hop);
    if (!neighbours || this.heldNeighbours.has(neighbours)) return neighbours;
    if (!this.held.add(bytesOfNeighbours(neighbours))) return null;
    this.heldNeighbours.add(neighbours);
    return neighbours;
  }

  /**
   * Evaluates a slow filter on all nodes that a hop leads to, before the hop is followed: following edges does not pause at single edges.
   */
  private *askAcross(hop: number, from: Pick<Counted, 'places' | 'size'>): Generator<null, void> {
    const filter = this.chain.filters[hop + 1];
    if (filter && !filter.isQuick) yield* filter.askOf(this.placesAcross(this.chain.hops[hop]!, from), this.work);
  }

  /** Yields the places of the nodes across a hop, some several times, and null where the query may pause. */
  private *placesAcross({ direction, types }: Hop, { places, size }: Pick<Counted, 'places' | 'size'>): Generator<number | null, void> {
    const ahead = new EdgesAhead(this.graph, direction);
    let looked = 0;
    for (let i = 0; i < size; i++) {
      ahead.from(places[i]!);
      while (ahead.go()) {
        if (++looked % edgesAtOnce === 0) {
          this.work.steps(edgesAtOnce);
          yield null;
        }
        if (types[this.graph.edgeTypes[ahead.edge]!] === 1) yield ahead.node;
      }
    }
  }

  private nothing(): Counted {
    return takeCounted(this.graph.nodeSets.length);
  }
}

/** Sorts a long list of places. Following edges is faster in this order, because the arrays have the edges in the order of their nodes. */
function listInOrder(counted: Counted): void {
  const { places, counts, size } = counted;
  if (size * 16 < counts.length) return;
  let listed = 0;
  for (let place = 0; place < counts.length; place++) if (counts[place] !== 0) places[listed++] = place;
}

function degreeOf({ offsets }: Neighbours, place: number): number {
  return offsets[place + 1]! - offsets[place]!;
}

/** The places of the nodes that have neighbours. */
function* placesWith(neighbours: Neighbours): Generator<number> {
  for (let place = 0; place + 1 < neighbours.offsets.length; place++) if (degreeOf(neighbours, place) > 0) yield place;
}
