import { spend } from '../../syntax/effort.js';
import { type Hop } from './chain.js';
import { type GraphArrays } from './memory-graph.js';

/** The nodes across the edges of some types and one direction: those of place i are `places[offsets[i]]` to `places[offsets[i + 1] - 1]`. */
export interface Neighbours {
  offsets: Uint32Array;
  places: Uint32Array;
}

/** Eight edges take a unit. */
const edgesAtOnce = 500_000;
/** Of each graph and thread. The least recently used ones go. */
const mostBytesKept = 67_108_864;

/** They last as long as the arrays of their graph. Null for those that are too many. */
const kept = new WeakMap<Uint32Array, Map<string, Neighbours | null>>();

/** Takes two passes over all edges when it is first asked. Null if they are too many to be kept. Yields where the query may pause. */
export function* neighboursOf(graph: GraphArrays, { direction, types }: Hop): Generator<null, Neighbours | null> {
  const ofGraph = kept.get(graph.edgeTypes) ?? new Map<string, Neighbours | null>();
  kept.set(graph.edgeTypes, ofGraph);
  const key = `${direction} ${types.join('')}`;
  let found = ofGraph.get(key);
  if (found === null) return null;
  if (!found) {
    const { edgeTypes, sources, targets, nodeSets } = graph;
    const offsets = new Uint32Array(nodeSets.length + 1);
    yield* eachEnd(place => (offsets[place + 1]! += 1));
    for (let place = 0; place < nodeSets.length; place++) offsets[place + 1]! += offsets[place]!;
    if (4 * (offsets.length + offsets.at(-1)!) > mostBytesKept) {
      ofGraph.set(key, null);
      return null;
    }
    const next = offsets.slice();
    const places = new Uint32Array(offsets.at(-1)!);
    yield* eachEnd((place, other) => (places[next[place]!++] = other));
    found = { offsets, places };

    /** Calls `take` for each edge that can be followed from a place, a loop once. */
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
  ofGraph.delete(key);
  ofGraph.set(key, found);
  let bytes = [...ofGraph.values()].reduce((sum, each) => sum + bytesOf(each), 0);
  for (const [oldest, each] of ofGraph) {
    if (bytes <= mostBytesKept) break;
    bytes -= bytesOf(each);
    if (each) ofGraph.delete(oldest);
  }
  return found;
}

function bytesOf(neighbours: Neighbours | null): number {
  return neighbours ? neighbours.offsets.byteLength + neighbours.places.byteLength : 0;
}
