import { type Steps } from '../text/steps.js';
import { GrowableFloat64, GrowableUint32 } from './growable-array.js';

/** An edge list per node in one array: those of node i lie from `offsets[i]` to `offsets[i + 1]`. */
interface Adjacency {
  offsets: Uint32Array;
  edges: Uint32Array;
}

/** Nodes and edges by small integers, in arrays that nobody changes: compressed sparse rows in both directions. */
export interface Topology {
  /** In ascending order, so that an id is found by halving. */
  nodeIds: Float64Array;
  /** The number of each node's set of labels. */
  nodeLabels: Uint32Array;
  /** The nodes of each set of labels. */
  byLabel: Adjacency;
  edgeIds: Float64Array;
  edgeTypes: Uint32Array;
  sources: Uint32Array;
  targets: Uint32Array;
  out: Adjacency;
  into: Adjacency;
  /** The sets of labels, with the label of the key first. */
  labels: string[][];
  types: string[];
  bytes: number;
}

/** Collects a graph: first its nodes by ascending id, then its edges in any order. */
export class TopologyBuilder {
  private readonly nodeIds = new GrowableFloat64();
  private readonly nodeLabels = new GrowableUint32();
  private readonly edgeIds = new GrowableFloat64();
  private readonly edgeTypes = new GrowableUint32();
  private readonly sources = new GrowableUint32();
  private readonly targets = new GrowableUint32();
  private readonly labels: string[][] = [];
  private readonly labelSets = new Map<string, number>();
  private readonly types = new Map<string, number>();
  private sortedIds: Float64Array | null = null;

  /** About the bytes of the result. */
  get bytes(): number {
    return this.nodeIds.length * 24 + this.edgeIds.length * 28;
  }

  /** @param labels the label of the key first, then the others in an order that equal sets share */
  addNode(id: number, labels: string[]): void {
    this.nodeIds.push(id);
    const number = numberOf(labels.length === 1 ? labels[0]! : JSON.stringify(labels), this.labelSets);
    if (number === this.labels.length) this.labels.push(labels);
    this.nodeLabels.push(number);
  }

  /** False for an edge of which an end is missing. */
  addEdge(id: number, type: string, sourceId: number, targetId: number): boolean {
    this.sortedIds ??= this.nodeIds.toArray();
    const [source, target] = [indexOf(this.sortedIds, sourceId), indexOf(this.sortedIds, targetId)];
    if (source < 0 || target < 0) return false;
    this.edgeIds.push(id);
    this.edgeTypes.push(numberOf(type, this.types));
    this.sources.push(source);
    this.targets.push(target);
    return true;
  }

  *build(): Steps<Topology> {
    const [nodeIds, nodeLabels] = [this.nodeIds.toArray(), this.nodeLabels.toArray()];
    const [sources, targets] = [this.sources.toArray(), this.targets.toArray()];
    const out = yield* grouped(sources, nodeIds.length);
    const into = yield* grouped(targets, nodeIds.length);
    const byLabel = yield* grouped(nodeLabels, this.labels.length);
    const { labels } = this;
    const types = [...this.types.keys()];
    const [edgeIds, edgeTypes] = [this.edgeIds.toArray(), this.edgeTypes.toArray()];
    return { nodeIds, nodeLabels, byLabel, edgeIds, edgeTypes, sources, targets, out, into, labels, types, bytes: this.bytes };
  }
}

/** The place of an id in ascending ids, or -1. */
export function indexOf(ids: Float64Array, id: number): number {
  let [low, high] = [0, ids.length - 1];
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = ids[middle]!;
    if (found === id) return middle;
    if (found < id) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

function numberOf(name: string, numbers: Map<string, number>): number {
  const known = numbers.get(name);
  if (known !== undefined) return known;
  numbers.set(name, numbers.size);
  return numbers.size - 1;
}

/** Groups the indexes of `keys` by their key, in their order. */
function* grouped(keys: Uint32Array, count: number): Steps<Adjacency> {
  const offsets = new Uint32Array(count + 1);
  for (let i = 0; i < keys.length; i++) {
    if ((i & 65_535) === 65_535) yield;
    offsets[keys[i]! + 1]! += 1;
  }
  for (let i = 0; i < count; i++) offsets[i + 1]! += offsets[i]!;
  const next = offsets.slice(0, count);
  const edges = new Uint32Array(keys.length);
  for (let i = 0; i < keys.length; i++) {
    if ((i & 65_535) === 65_535) yield;
    edges[next[keys[i]!]!++] = i;
  }
  return { offsets, edges };
}
