import { type Direction } from '../../syntax/cypher-ast.js';
import { bitsFor, type EdgeFacts, setBit } from './edge-facts.js';
import { type GraphArrays } from './memory-graph.js';
import { type NodeFilter } from './node-filter.js';

/** A first hop over at most this many edges is never wide (see `isWide`), however small the graph is. */
const mostNarrow = 4;

/** One edge of a chain, seen from its left node. */
export interface Hop {
  direction: Direction;
  /** For each type of edges, by its number: 1 if the type fits, else 0. */
  types: Uint8Array;
}

/** A chain of nodes and single edges: `filters.length === hops.length + 1`. */
export interface Chain {
  hops: Hop[];
  /** One filter for each node. Null if it needs none, because the edges beside it reach only nodes that fit. */
  filters: (NodeFilter | null)[];
  /** Places (indexes in the arrays) of the nodes where a match can start: all nodes that may fit node 0, each once. */
  starts: Uint32Array;
  isWide: boolean;
}

export function hopOf({ direction, types }: { direction: Direction; types: readonly string[] }, graph: GraphArrays): Hop {
  const wanted = new Set(types);
  return { direction, types: Uint8Array.from(graph.types, type => (types.length === 0 || wanted.has(type) ? 1 : 0)) };
}

/** Whether the first hop alone follows so many edges that a pass over all edges pays off. The result of the pass serves many queries. */
export function isWide({ starts, hops }: Pick<Chain, 'starts' | 'hops'>, { outOffsets, intoOffsets, edgeTypes }: GraphArrays): boolean {
  if (!hops[0]) return false;
  const { direction } = hops[0];
  const enough = Math.max(mostNarrow, edgeTypes.length / 64);
  let edges = 0;
  for (const start of starts) {
    if (direction !== 'in') edges += outOffsets[start + 1]! - outOffsets[start]!;
    if (direction !== 'out') edges += intoOffsets[start + 1]! - intoOffsets[start]!;
    if (edges > enough) return true;
  }
  return false;
}

export function reversed({ direction, types }: Hop): Hop {
  return { types, direction: opposite(direction) };
}

export function opposite(direction: Direction): Direction {
  return direction === 'both' ? 'both' : direction === 'out' ? 'in' : 'out';
}

/** Whether every node that a hop can reach at its right end has a fitting set of labels. `sets` has 1 for each set that fits, else 0. */
export function leadsInto({ direction, types }: Hop, sets: Uint8Array, { sourceSets, targetSets }: EdgeFacts): boolean {
  const ends = direction === 'both' ? [sourceSets, targetSets] : [direction === 'out' ? targetSets : sourceSets];
  const others = bitsFor(sets.length);
  sets.forEach((fits, set) => fits === 0 && setBit(others, set));
  return ends.every(end => end.every((found, type) => types[type] === 0 || found.every((bits, at) => (bits & others[at]!) === 0)));
}
