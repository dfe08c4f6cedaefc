import { spend } from '../../syntax/effort.js';
import { type Hop } from './chain.js';
import { DerivedArrays, mostBytesDerived } from './derived-arrays.js';
import { type GraphArrays } from './memory-graph.js';

/** Nodes at the other ends of edges of one hop. The neighbours of node i are `places[offsets[i]]` to `places[offsets[i + 1] - 1]`. */
export interface Neighbours {
  offsets: Uint32Array;
  places: Uint32Array;
}

/** Edges between two pauses. Eight edges count as one work unit. */
const edgesAtOnce = 500_000;
/** Cached neighbours, by direction and types. Null if the neighbours are too many to be cached. */
const kept = new DerivedArrays<Neighbours | null>('neighbours');

/**
 * Returns the neighbours of all nodes. The first call makes two passes over all edges. Null if there are too many to be cached. Yields
 * where the query may pause.
 */
export function* neighboursOf(graph: GraphArrays, { direction, types }: Hop): Generator<null, Neighbours | null> {
  const key = `${direction} ${types.join('')}`;
  const known = kept.get(graph, key);
  if (known !== undefined) return known;
  const { edgeTypes, sources, targets, nodeSets } = graph;
  const offsets = new Uint32Array(nodeSets.length + 1);
  yield* eachEnd(place => (offsets[place + 1]! += 1));
  for (let place = 0; place < nodeSets.length; place++) offsets[place + 1]! += offsets[place]!;
  if (4 * (offsets.length + offsets.at(-1)!) > mostBytesDerived) return kept.set(graph, null, 0, key);
  const next = offsets.slice();
  const places = new Uint32Array(offsets.at(-1)!);
  yield* eachEnd((place, other) => (places[next[place]!++] = other));
  const found = { offsets, places };
  return kept.set(graph, found, bytesOfNeighbours(found), key);

  /** Calls `take` for each pair of a node and its neighbour; a loop counts once. */
  function* eachEnd(take: (place: number, other: number) => void): Generator<null> {
    for (let edge = 0; edge < edgeTypes.length; edge++) {
      if (edge % edgesAtOnce === edgesAtOnce - 1) {
        spend(edgesAtOnce >> 3);
        yield null;
      }
      if (types[edgeTypes[edge]!] === 0) continue;
      const [source, target] = [sources[edge]!, targets[edge]!];
      if (direction !== 'in') take(source, target);
      if (direction === 'in' || (direction === 'both' && source !== target)) take(target, source);
    }
  }
}

export function bytesOfNeighbours({ offsets, places }: Neighbours): number {
  return offsets.byteLength + places.byteLength;
}
