import { bytesOf } from '../../../graph-index/shared-arrays.js';
import { type TopologyOf } from './messages.js';
import { type PartBefore, type PartKey, searchPart } from './shared-parts.js';

/** A thread, as the broker tells it from others. */
type Owner = object;

/** Waits for a part: gets its record, or null to load it, perhaps from that of the version before. */
type Claim = (record: object | null, before: PartBefore | null) => void;

interface Loading {
  by: Owner;
  /** Who waits for the part. */
  waiting: { by: Owner; claim: Claim }[];
}

interface Graph {
  version: number;
  parts: Map<string, { record: object; bytes: number }>;
  /** The parts that threads are loading. */
  loading: Map<string, Loading>;
  /** What single threads hold besides. */
  heldBytes: Map<Owner, number>;
  /** The threads in which this version goes on answering while the next one loads, each once for each time that it keeps it. */
  keepers: Owner[];
  /** The version before, while it answers, and while parts of it may be brought forward. */
  before: Graph | null;
}

/** Both are told to all threads. */
interface Told {
  /** Forget what you have of the graph. */
  drop: (graphId: number) => void;
  /** Forget the version before of the graph. */
  release: (graphId: number) => void;
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

  constructor(
    private readonly budgetBytes: number,
    private readonly told: Told,
  ) {}

  get count(): number {
    return this.graphs.size;
  }

  get bytes(): number {
    let sum = 0;
    for (const graph of this.graphs.values()) sum += sizeOf(graph);
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

  /** Whether the search index of the newest version that is known is in memory. */
  hasIndex(graphId: number): boolean {
    return this.graphs.get(graphId)?.parts.has(searchPart) === true;
  }

  claim(key: PartKey, by: Owner, claim: Claim): void {
    const graph = this.graphOf(key);
    const part = graph?.parts.get(key.name);
    const loading = graph?.loading.get(key.name);
    if (part) claim(part.record, null);
    else if (loading) loading.waiting.push({ by, claim });
    else {
      graph?.loading.set(key.name, { by, waiting: [] });
      claim(null, partBefore(graph, key.name));
    }
  }

  /** @param record null if the load failed; the next who waits tries again */
  loaded(key: PartKey, record: object | null): void {
    const graph = this.graphOf(key);
    if (!graph) return;
    const { waiting } = graph.loading.get(key.name) ?? { waiting: [] };
    graph.loading.delete(key.name);
    if (record === null) return letNextLoad(graph, key.name, waiting);
    graph.parts.set(key.name, { record, bytes: bytesOf(record) });
    for (const { claim } of waiting) claim(record, null);
    forgetBefore(graph);
    this.evict(key.graphId, key.name);
  }

  hold(graphId: number, version: number, by: Owner, bytes: number): void {
    const graph = this.graphOf({ graphId, version });
    if (!graph) return;
    graph.heldBytes.set(by, (graph.heldBytes.get(by) ?? 0) + bytes);
    // What is held serves the search index, which would else go as soon as it has come.
    this.evict(graphId, searchPart);
  }

  /** A thread goes on answering with this version while the next one loads. */
  keep(graphId: number, version: number, by: Owner): void {
    const graph = this.graphs.get(graphId);
    const kept = graph?.version === version ? graph : graph?.before;
    if (kept?.version === version) kept.keepers.push(by);
  }

  release(graphId: number, version: number, by: Owner): void {
    const graph = this.graphs.get(graphId);
    const kept = [graph, graph?.before].find(each => each?.version === version);
    // A graph that was dropped has forgotten its keepers.
    const at = kept?.keepers.indexOf(by) ?? -1;
    if (at >= 0) kept!.keepers.splice(at, 1);
    if (kept && kept === graph?.before) forgetBefore(graph);
  }

  /** A thread has ended: others load what it was loading, and what it alone held and kept is gone. */
  ended(by: Owner): void {
    for (const graph of this.graphs.values()) {
      for (const version of [graph, graph.before]) {
        if (!version) continue;
        version.heldBytes.delete(by);
        version.keepers = version.keepers.filter(keeper => keeper !== by);
      }
      forgetBefore(graph);
      for (const [name, loading] of [...graph.loading]) {
        loading.waiting = loading.waiting.filter(each => each.by !== by);
        if (loading.by !== by) continue;
        graph.loading.delete(name);
        letNextLoad(graph, name, loading.waiting);
      }
    }
  }

  /** Null for a version older than the newest that is known, of which nothing is kept. */
  private graphOf({ graphId, version }: Omit<PartKey, 'name'>): Graph | null {
    const known = this.graphs.get(graphId);
    if (known && known.version >= version) return known.version === version ? known : null;
    const graph: Graph = { version, parts: new Map(), loading: new Map(), heldBytes: new Map(), keepers: [], before: null };
    graph.before = (known && beforeNext(known)) ?? null;
    if (known) known.before = null;
    this.graphs.delete(graphId);
    this.graphs.set(graphId, graph);
    if (known) letLoadAlone(known);
    return graph;
  }

  private evict(keep: number, part: string | null): void {
    for (const [graphId, graph] of this.graphs) {
      if (this.bytes <= this.budgetBytes) return;
      if (!graph.before) continue;
      const answers = graph.before.keepers.length > 0;
      graph.before = null;
      if (answers) this.told.release(graphId);
    }
    for (const [graphId, graph] of [...this.graphs]) {
      if (this.bytes <= this.budgetBytes) return;
      if (graphId === keep) continue;
      this.graphs.delete(graphId);
      letLoadAlone(graph);
      this.told.drop(graphId);
    }
    const graph = this.graphs.get(keep);
    for (const name of [...(graph?.parts.keys() ?? [])]) {
      if (this.bytes <= this.budgetBytes) return;
      if (name === part || name === keptPart) continue;
      graph!.parts.delete(name);
      // The threads forget with it what they alone hold.
      graph!.heldBytes.clear();
      this.told.drop(keep);
    }
  }
}

/** The first of those who wait loads the part, and the others wait for it. */
function letNextLoad(graph: Graph, name: string, [next, ...waiting]: Loading['waiting']): void {
  if (!next) return;
  graph.loading.set(name, { by: next.by, waiting });
  next.claim(null, partBefore(graph, name));
}

/** Whoever waits for a part of a graph that is no longer kept loads it alone. */
function letLoadAlone({ loading }: Graph): void {
  for (const { waiting } of loading.values()) for (const { claim } of waiting) claim(null, null);
}

function sizeOf({ parts, heldBytes, before }: Graph): number {
  let sum = before ? sizeOf(before) : 0;
  for (const bytes of heldBytes.values()) sum += bytes;
  for (const { bytes } of parts.values()) sum += bytes;
  return sum;
}

/** Which of two versions stays beside the next one: that which answers, else the newer one that has its nodes and edges. */
function beforeNext(known: Graph): Graph | null {
  const two = [known, known.before].filter(graph => graph !== null);
  return two.find(({ keepers }) => keepers.length > 0) ?? two.find(({ parts }) => parts.has(keptPart)) ?? null;
}

function partBefore(graph: Graph | null, name: string): PartBefore | null {
  const before = graph?.before;
  const [topology, part] = [keptPart, name].map(each => before?.parts.get(each)?.record);
  return before && topology && part ? { version: before.version, topology, part } : null;
}

/** Forgets of the version before what the new one has, unless it still answers. */
function forgetBefore(graph: Graph): void {
  const { before, parts } = graph;
  if (!before || before.keepers.length > 0) return;
  before.heldBytes.clear();
  for (const name of before.parts.keys()) if (name !== keptPart && parts.has(name)) before.parts.delete(name);
  // Its nodes and edges are of use for its other parts only.
  if (parts.has(keptPart) && [...before.parts.keys()].every(name => name === keptPart)) graph.before = null;
}
