import { type Steps } from '../text/steps.js';
import { inBlocks } from './in-blocks.js';
import { GrowableFloat64, GrowableUint32 } from './growable-array.js';
import { IdPlaces } from './id-places.js';
import { sharedFloat64, sharedUint32 } from './shared-arrays.js';

/**
 * The structure of a graph as compressed sparse rows in both directions, with 24 bytes per edge and 28 per node. Nodes and edges have
 * numbers from 0, called places. Edges are sorted by source and then by id, so the edges out of node i have the places from `outOffsets[i]`
 * to before `outOffsets[i + 1]`. The places of the edges into node i are in `intoEdges`, from `intoOffsets[i]` to before
 * `intoOffsets[i + 1]`.
 */
export interface Topology {
  /** The ids of the nodes in ascending order, so that binary search finds an id. */
  nodeIds: Float64Array<SharedArrayBuffer>;
  /** For each node, the index of its set of labels in `labelSets`. */
  nodeSets: Uint32Array<SharedArrayBuffer>;
  /** The different sets of labels that nodes have. Each set begins with the main label, which is the one that the key belongs to. */
  labelSets: string[][];
  /** The places of the nodes with label set s are in `setNodes`, from `setOffsets[s]` to before `setOffsets[s + 1]`. */
  setOffsets: Uint32Array<SharedArrayBuffer>;
  setNodes: Uint32Array<SharedArrayBuffer>;
  edgeIds: Float64Array<SharedArrayBuffer>;
  /** For each edge, the index of its type in `types`. */
  edgeTypes: Uint32Array<SharedArrayBuffer>;
  types: string[];
  sources: Uint32Array<SharedArrayBuffer>;
  targets: Uint32Array<SharedArrayBuffer>;
  outOffsets: Uint32Array<SharedArrayBuffer>;
  intoOffsets: Uint32Array<SharedArrayBuffer>;
  intoEdges: Uint32Array<SharedArrayBuffer>;
}

/** Collects a graph: first its nodes by ascending id, then its edges in any order. */
export class TopologyBuilder {
  private readonly nodeIds = new GrowableFloat64();
  private readonly nodeSets = new GrowableUint32();
  private readonly edgeIds = new GrowableFloat64();
  private readonly edgeTypes = new GrowableUint32();
  private readonly sources = new GrowableUint32();
  private readonly targets = new GrowableUint32();
  private places: IdPlaces | null = null;

  /** Estimated bytes of the finished topology. */
  get bytes(): number {
    return this.nodeIds.length * 28 + this.edgeIds.length * 24;
  }

  /** Adds a node. @param labels the number of the node's set of labels */
  addNode(id: number, labels: number): void {
    this.nodeIds.push(id);
    this.nodeSets.push(labels);
  }

  /** Adds an edge, unless the node at one of its ends is missing. @param type the number of the edge's type */
  addEdge(id: number, type: number, sourceId: number, targetId: number): void {
    this.places ??= new IdPlaces(this.nodeIds.toArray());
    const [source, target] = [this.places.placeOf(sourceId), this.places.placeOf(targetId)];
    if (source < 0 || target < 0) return;
    this.edgeIds.push(id);
    this.edgeTypes.push(type);
    this.sources.push(source);
    this.targets.push(target);
  }

  *build(labelSets: string[][], types: string[]): Steps<Topology> {
    const [nodeCount, edgeCount] = [this.nodeIds.length, this.edgeIds.length];
    const [nodeIds, nodeSets] = [sharedFloat64(nodeCount), sharedUint32(nodeCount)];
    nodeIds.set(this.nodeIds.view());
    nodeSets.set(this.nodeSets.view());
    const [outOffsets, order] = yield* grouped(this.sources.view(), nodeCount);
    yield* sortEach(order, outOffsets, this.edgeIds.view());
    const [edgeIds, edgeTypes] = [sharedFloat64(edgeCount), sharedUint32(edgeCount)];
    const [sources, targets] = [sharedUint32(edgeCount), sharedUint32(edgeCount)];
    yield* inBlocks(edgeCount, (from, to) => {
      gather(edgeIds, this.edgeIds.view(), order, from, to);
      gather(edgeTypes, this.edgeTypes.view(), order, from, to);
      gather(sources, this.sources.view(), order, from, to);
      gather(targets, this.targets.view(), order, from, to);
    });
    return yield* withGroups({ nodeIds, nodeSets, labelSets, edgeIds, edgeTypes, types, sources, targets, outOffsets });
  }
}

/** Adds the arrays that are computed from the others: the nodes of each set of labels, and the edges into each node. */
export function* withGroups(rows: Omit<Topology, 'setOffsets' | 'setNodes' | 'intoOffsets' | 'intoEdges'>): Steps<Topology> {
  const [setOffsets, setNodes] = yield* grouped(rows.nodeSets, rows.labelSets.length);
  const [intoOffsets, intoEdges] = yield* grouped(rows.targets, rows.nodeIds.length);
  return { ...rows, setOffsets, setNodes, intoOffsets, intoEdges };
}

/** The place of an id in an ascending array of ids; -1 if it is not there. */
export function indexOf(ids: Float64Array, id: number): number {
  const place = lowerBound(ids, id);
  return ids[place] === id ? place : -1;
}

/** The first place in an ascending array of ids whose id is not less than `id`. */
export function lowerBound(ids: Float64Array, id: number): number {
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ids[middle]! < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Sorts the places within each group by the id at each place. The edges then have the same order in every load of a version, so columns
 * that were loaded at different times fit together.
 */
function* sortEach(places: Uint32Array, offsets: Uint32Array, ids: Float64Array): Steps<void> {
  yield* inBlocks(offsets.length - 1, (from, to) => {
    for (let group = from; group < to; group++) sortGroup(places, offsets[group]!, offsets[group + 1]!, ids);
  });
}

function sortGroup(places: Uint32Array, from: number, to: number, ids: Float64Array): void {
  for (let i = from + 1; i < to; i++) {
    if (ids[places[i - 1]!]! < ids[places[i]!]!) continue;
    places.subarray(from, to).sort((a, b) => ids[a]! - ids[b]!);
    return;
  }
}

/**
 * Groups places by their key. Returns the offset at which each group begins, and the places group by group, in ascending order within each
 * group.
 */
function* grouped(keys: Uint32Array, count: number): Steps<[Uint32Array<SharedArrayBuffer>, Uint32Array<SharedArrayBuffer>]> {
  const offsets = yield* offsetsOf(keys, count);
  const next = new Uint32Array(offsets.subarray(0, count));
  const places = sharedUint32(keys.length);
  yield* inBlocks(keys.length, (from, to) => {
    for (let i = from; i < to; i++) places[next[keys[i]!]!++] = i;
  });
  return [offsets, places];
}

/** The offset at which each group of `keys` begins. The last element is the end of the last group. */
export function* offsetsOf(keys: Uint32Array, count: number): Steps<Uint32Array<SharedArrayBuffer>> {
  const offsets = sharedUint32(count + 1);
  yield* inBlocks(keys.length, (from, to) => {
    for (let i = from; i < to; i++) offsets[keys[i]! + 1]! += 1;
  });
  yield* inBlocks(count, (from, to) => {
    for (let i = from; i < to; i++) offsets[i + 1]! += offsets[i]!;
  });
  return offsets;
}

function gather<T extends Uint32Array | Float64Array>(into: T, values: T, order: Uint32Array, from: number, to: number): void {
  for (let i = from; i < to; i++) into[i] = values[order[i]!]!;
}
