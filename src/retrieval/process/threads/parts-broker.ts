import { bytesOf } from '../../../graph-index/shared-arrays.js';
import { type TopologyOf } from './messages.js';
import { type PartKey } from './shared-parts.js';

/** Waits for a part: gets its record, or null to load it. */
type Claim = (record: object | null) => void;

interface Graph {
  version: number;
  parts: Map<string, { record: object; bytes: number }>;
  /** Who waits for a part that a thread is loading. */
  loading: Map<string, Claim[]>;
  /** What single threads hold besides. */
  heldBytes: number;
}

/** Every query needs it, so it is dropped only together with its graph. */
const keptPart = 'topology';

/**
 * Knows the parts of graphs that threads have loaded, of the newest version of each graph, and gives each to whoever claims it. Beyond
 * the budget the graph that was least recently used is dropped, and parts of the only graph that is left.
 */
export class PartsBroker {
  /** In order of use, the latest last. */
  private readonly graphs = new Map<number, Graph>();

  /** @param drop tells all threads to forget what they hold of a graph */
  constructor(
    private readonly budgetBytes: number,
    private readonly drop: (graphId: number) => void,
  ) {}

  get count(): number {
    return this.graphs.size;
  }

  get bytes(): number {
    let sum = 0;
    for (const { parts, heldBytes } of this.graphs.values()) {
      sum += heldBytes;
      for (const { bytes } of parts.values()) sum += bytes;
    }
    return sum;
  }

  /** A query came for this graph. */
  touch(graphId: number): void {
    const graph = this.graphs.get(graphId);
    if (!graph) return;
    this.graphs.delete(graphId);
    this.graphs.set(graphId, graph);
  }

  /** The version whose nodes and edges are in memory. */
  topologyOf(graphId: number): TopologyOf | null {
    const graph = this.graphs.get(graphId);
    return graph?.parts.has(keptPart) ? { graphId, version: graph.version } : null;
  }

  claim(key: PartKey, claim: Claim): void {
    const graph = this.graphOf(key);
    const part = graph?.parts.get(key.name);
    const waiting = graph?.loading.get(key.name);
    if (part) claim(part.record);
    else if (waiting) waiting.push(claim);
    else {
      graph?.loading.set(key.name, []);
      claim(null);
    }
  }

  /** @param record null if the load failed; the next who waits tries again */
  loaded(key: PartKey, record: object | null): void {
    const graph = this.graphOf(key);
    if (!graph) return;
    const waiting = graph.loading.get(key.name) ?? [];
    graph.loading.delete(key.name);
    if (record === null) {
      const next = waiting.shift();
      if (next) graph.loading.set(key.name, waiting);
      next?.(null);
      return;
    }
    graph.parts.set(key.name, { record, bytes: bytesOf(record) });
    for (const each of waiting) each(record);
    this.evict(key.graphId, key.name);
  }

  hold(graphId: number, version: number, bytes: number): void {
    const graph = this.graphOf({ graphId, version });
    if (!graph) return;
    graph.heldBytes += bytes;
    this.evict(graphId, null);
  }

  /** Null for a version older than the newest that is known, of which nothing is kept. */
  private graphOf({ graphId, version }: Omit<PartKey, 'name'>): Graph | null {
    const known = this.graphs.get(graphId);
    if (known && known.version >= version) return known.version === version ? known : null;
    const graph: Graph = { version, parts: new Map(), loading: new Map(), heldBytes: 0 };
    this.graphs.delete(graphId);
    this.graphs.set(graphId, graph);
    // Whoever waits for a part of the version before loads it alone.
    for (const waiting of known?.loading.values() ?? []) for (const each of waiting) each(null);
    return graph;
  }

  private evict(keep: number, part: string | null): void {
    for (const graphId of [...this.graphs.keys()]) {
      if (this.bytes <= this.budgetBytes) return;
      if (graphId === keep) continue;
      this.graphs.delete(graphId);
      this.drop(graphId);
    }
    const graph = this.graphs.get(keep);
    for (const name of [...(graph?.parts.keys() ?? [])]) {
      if (this.bytes <= this.budgetBytes) return;
      if (name === part || name === keptPart) continue;
      graph!.parts.delete(name);
      this.drop(keep);
    }
  }
}
