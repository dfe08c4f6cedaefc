import { type Steps } from '../text/steps.js';
import { eachOf, inBlocks } from './in-blocks.js';
import { indexOf, type Topology } from './topology.js';

/** Elements that a run has inserted, changed or removed: nodes by id, edges by their id and the id of their source node. */
export interface ChangedIds {
  nodes: number[];
  edges: { id: number; source: number }[];
}

/**
 * How the places of one version become the places of the next: some old places are dropped, some new places are inserted, and all others
 * stay in their order. The place of a changed element is dropped and inserted. Both lists ascend.
 */
export interface Moves {
  before: number;
  after: number;
  dropped: number[];
  inserted: number[];
}

/**
 * The moves from one version to the next. Null if the two topologies are not versions of one graph with just these changes between them.
 */
export function* movesOf(elements: 'nodes' | 'edges', before: Topology, after: Topology, changed: ChangedIds): Steps<Moves | null> {
  const ids = elements === 'nodes' ? 'nodeIds' : 'edgeIds';
  const dropped = yield* placesOf(before, elements, changed);
  const inserted = yield* placesOf(after, elements, changed);
  const moves = { before: before[ids].length, after: after[ids].length, dropped, inserted };
  return moves.before - dropped.length === moves.after - inserted.length ? moves : null;
}

/**
 * The places of those changed elements that are in the topology, in ascending order. They are marked in an array and then collected in
 * blocks, because sorting hundreds of thousands of places at once would block the event loop.
 */
export function* placesOf(topology: Topology, elements: 'nodes' | 'edges', changed: ChangedIds): Steps<number[]> {
  const isChanged = new Uint8Array(topology[elements === 'nodes' ? 'nodeIds' : 'edgeIds'].length);
  yield* eachOf<ChangedIds[typeof elements][number]>(changed[elements], each => {
    const place = placeOf(topology, each);
    if (place >= 0) isChanged[place] = 1;
  });
  const places: number[] = [];
  yield* inBlocks(isChanged.length, (from, to) => {
    for (let place = from; place < to; place++) if (isChanged[place] === 1) places.push(place);
  });
  return places;
}

/** The place of a node by its id, or of an edge by its id and source; -1 if it is not there. */
export function placeOf(topology: Topology, element: number | { id: number; source: number }): number {
  const { nodeIds, edgeIds, outOffsets } = topology;
  if (typeof element === 'number') return indexOf(nodeIds, element);
  const source = indexOf(nodeIds, element.source);
  if (source < 0) return -1;
  const from = outOffsets[source]!;
  const place = indexOf(edgeIds.subarray(from, outOffsets[source + 1]), element.id);
  return place < 0 ? -1 : from + place;
}

/** The runs of places that stay together: the place where each run begins before and after the moves, and its length. */
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
