import { type Steps } from '../text/steps.js';
import { eachOf, inBlocks, mapped } from './in-blocks.js';
import { type ChangedIds, type Moves, placeOf, placesOf, runsOf } from './moves.js';
import { sharedFloat64, sharedUint32 } from './shared-arrays.js';
import { indexOf, lowerBound, offsetsOf, type Topology, withGroups } from './topology.js';

/**
 * The changed nodes, by id, and the changed edges, by source and id, as they are now. Changed elements that are not listed here have been
 * removed.
 */
export interface ChangedElements {
  nodes: { id: number; labels: string[] }[];
  edges: { id: number; type: string; source: number; target: number }[];
}

/** The new place of a node that was removed. */
const gone = 0xffffffff;

/**
 * Makes the topology of a version from the topology of an earlier version. Runs of unchanged places are copied, which takes a fraction of
 * the time of reading and sorting all edges.
 * @returns null if the changes do not fit the topology, such as a node that was removed without its edges
 */
export function* bringTopologyForward(before: Topology, changed: ChangedIds, now: ChangedElements): Steps<Topology | null> {
  const nodeBounds = yield* mapped(now.nodes, ({ id }) => lowerBound(before.nodeIds, id));
  const nodeMoves = yield* movesBy(before.nodeIds.length, yield* placesOf(before, 'nodes', changed), nodeBounds);
  const [nodeIds, nodeSets] = [sharedFloat64(nodeMoves.after), sharedUint32(nodeMoves.after)];
  const placeNow = new Uint32Array(before.nodeIds.length).fill(gone);
  for (const [from, to, length] of runsOf(nodeMoves)) {
    nodeIds.set(before.nodeIds.subarray(from, from + length), to);
    nodeSets.set(before.nodeSets.subarray(from, from + length), to);
    yield* inBlocks(length, (first, last) => {
      for (let i = first; i < last; i++) placeNow[from + i] = to + i;
    });
  }
  const sets = new Names(before.labelSets.map(set => JSON.stringify(set)));
  yield* eachOf(now.nodes, ({ id, labels }, i) => {
    const place = nodeMoves.inserted[i]!;
    nodeIds[place] = id;
    nodeSets[place] = sets.numberOf(JSON.stringify(labels));
    const placeBefore = placeOf(before, id);
    if (placeBefore >= 0) placeNow[placeBefore] = place;
  });

  const edges: (ChangedElements['edges'][number] & { sourcePlace: number; targetPlace: number })[] = [];
  yield* eachOf(now.edges, edge => {
    const [sourcePlace, targetPlace] = [indexOf(nodeIds, edge.source), indexOf(nodeIds, edge.target)];
    // A full load also leaves out an edge if the node at one of its ends is missing.
    if (sourcePlace >= 0 && targetPlace >= 0) edges.push({ ...edge, sourcePlace, targetPlace });
  });
  const edgeBounds = yield* mapped(edges, edge => edgeBound(before, edge));
  const edgeMoves = yield* movesBy(before.edgeIds.length, yield* placesOf(before, 'edges', changed), edgeBounds);
  const [edgeIds, edgeTypes] = [sharedFloat64(edgeMoves.after), sharedUint32(edgeMoves.after)];
  const [sources, targets] = [sharedUint32(edgeMoves.after), sharedUint32(edgeMoves.after)];
  for (const [from, to, length] of runsOf(edgeMoves)) {
    edgeIds.set(before.edgeIds.subarray(from, from + length), to);
    edgeTypes.set(before.edgeTypes.subarray(from, from + length), to);
    let isWhole = true;
    yield* inBlocks(length, (first, last) => {
      isWhole = moveEnds(before.sources, sources, placeNow, from, to, first, last) && isWhole;
      isWhole = moveEnds(before.targets, targets, placeNow, from, to, first, last) && isWhole;
    });
    if (!isWhole) return null;
  }
  const types = new Names(before.types);
  yield* eachOf(edges, ({ id, type, sourcePlace, targetPlace }, i) => {
    const place = edgeMoves.inserted[i]!;
    edgeIds[place] = id;
    edgeTypes[place] = types.numberOf(type);
    sources[place] = sourcePlace;
    targets[place] = targetPlace;
  });

  const labelSets = (yield* usedNames(nodeSets, sets)).map(set => JSON.parse(set) as string[]);
  const usedTypes = yield* usedNames(edgeTypes, types);
  const outOffsets = yield* offsetsOf(sources, nodeMoves.after);
  return yield* withGroups({ nodeIds, nodeSets, labelSets, edgeIds, edgeTypes, types: usedTypes, sources, targets, outOffsets });
}

/** Writes the new places of the nodes at one end of some edges. False if one of these nodes was removed. */
function moveEnds(
  before: Uint32Array,
  now: Uint32Array,
  placeNow: Uint32Array,
  from: number,
  to: number,
  first: number,
  last: number,
): boolean {
  let isWhole = true;
  for (let i = first; i < last; i++) {
    const place = placeNow[before[from + i]!]!;
    if (place === gone) isWhole = false;
    now[to + i] = place;
  }
  return isWhole;
}

/** @param bounds for each inserted element, the old place of the first element that comes after it, ascending */
function* movesBy(before: number, dropped: number[], bounds: number[]): Steps<Moves> {
  let left = 0;
  const inserted = yield* mapped(bounds, (bound, i) => {
    while (left < dropped.length && dropped[left]! < bound) left++;
    return bound - left + i;
  });
  return { before, after: before - dropped.length + inserted.length, dropped, inserted };
}

/** The old place of the first edge that comes after this edge; the edge's own old place if it existed before. */
function edgeBound({ nodeIds, edgeIds, outOffsets }: Topology, { id, source }: { id: number; source: number }): number {
  const place = lowerBound(nodeIds, source);
  const from = outOffsets[place]!;
  return nodeIds[place] === source ? from + lowerBound(edgeIds.subarray(from, outOffsets[place + 1]), id) : from;
}

/** Numbers names: the names known before keep their numbers, new names follow. */
class Names {
  private readonly numbers: Map<string, number>;

  constructor(readonly all: string[]) {
    this.all = [...all];
    this.numbers = new Map(all.map((name, i) => [name, i]));
  }

  numberOf(name: string): number {
    let number = this.numbers.get(name);
    if (number === undefined) this.numbers.set(name, (number = this.all.push(name) - 1));
    return number;
  }
}

/** Returns the names that some element still has, and rewrites `numbers` to their new numbers. */
function* usedNames(numbers: Uint32Array, { all }: Names): Steps<string[]> {
  const isUsed = new Uint8Array(all.length);
  yield* inBlocks(numbers.length, (from, to) => {
    for (let i = from; i < to; i++) isUsed[numbers[i]!] = 1;
  });
  const used = all.filter((_, number) => isUsed[number] === 1);
  if (used.length === all.length) return all;
  let next = 0;
  const now = Uint32Array.from(all, (_, number) => (isUsed[number] === 1 ? next++ : 0));
  yield* inBlocks(numbers.length, (from, to) => {
    for (let i = from; i < to; i++) numbers[i] = now[numbers[i]!]!;
  });
  return used;
}
