import { indexOf, type Topology } from './topology.js';

/** An element that a run has inserted, changed or removed, by its id. An edge also has the id of its source. */
export interface ChangedIds {
  nodes: number[];
  edges: { id: number; source: number }[];
}

/**
 * How the places of one version become those of the next: some old ones are dropped, some new ones inserted, and all others stay in
 * their order. An element that changed is dropped and inserted. Both lists ascend.
 */
export interface Moves {
  before: number;
  after: number;
  dropped: number[];
  inserted: number[];
}

/** Null if the two are not versions of one graph with these changes between them. */
export function movesOf(elements: 'nodes' | 'edges', before: Topology, after: Topology, changed: ChangedIds): Moves | null {
  const places = (topology: Topology): number[] =>
    ascending(changed[elements].map(each => placeOf(topology, each)).filter(place => place >= 0));
  const ids = elements === 'nodes' ? 'nodeIds' : 'edgeIds';
  const moves = { before: before[ids].length, after: after[ids].length, dropped: places(before), inserted: places(after) };
  return moves.before - moves.dropped.length === moves.after - moves.inserted.length ? moves : null;
}

/** The place of a node by its id, or of an edge by its id and source; -1 for none. */
export function placeOf(topology: Topology, element: number | { id: number; source: number }): number {
  const { nodeIds, edgeIds, outOffsets } = topology;
  if (typeof element === 'number') return indexOf(nodeIds, element);
  const source = indexOf(nodeIds, element.source);
  if (source < 0) return -1;
  const from = outOffsets[source]!;
  const place = indexOf(edgeIds.subarray(from, outOffsets[source + 1]), element.id);
  return place < 0 ? -1 : from + place;
}

/** The runs of places that stay together: where each begins before and after, and its length. */
export function* runsOf({ before, after, dropped, inserted }: Moves): Generator<[from: number, to: number, length: number]> {
  let [from, to, nextDropped, nextInserted] = [0, 0, 0, 0];
  while (from < before || to < after) {
    const length = Math.min((dropped[nextDropped] ?? before) - from, (inserted[nextInserted] ?? after) - to);
    if (length > 0) yield [from, to, length];
    from += length;
    to += length;
    if (dropped[nextDropped] === from) [from, nextDropped] = [from + 1, nextDropped + 1];
    if (inserted[nextInserted] === to) [to, nextInserted] = [to + 1, nextInserted + 1];
  }
}

export function ascending(numbers: number[]): number[] {
  return numbers.sort((a, b) => a - b);
}
