import { bytesOf } from '../../../graph-index/shared-arrays.js';
import { LargeLoads } from './large-loads.js';
import { type PartsAnswer, type PartsMessage, type TopologyOf } from './messages.js';
import { PartsInUse } from './parts-in-use.js';
import { type Owner, type PartBefore, type PartKey, searchPart, type SharedPart } from './shared-parts.js';

/**
 * Callback of a thread that claims a part. It gets the part, or null if the thread must load the part, perhaps from that of the version
 * before.
 */
type Claim = (part: SharedPart | null, before: PartBefore<SharedPart> | null) => void;

interface Loading {
  by: Owner;
  /** Threads that wait for the part. */
  waiting: { by: Owner; claim: Claim }[];
}

interface Graph {
  version: number;
  parts: Map<string, { part: SharedPart; bytes: number }>;
  /** The parts that threads are loading. */
  loading: Map<string, Loading>;
  /** Bytes that single threads hold for the graph besides the shared parts. */
  heldBytes: Map<Owner, number>;
  /** The threads that keep this version to answer while the next one loads. A thread that keeps it twice is listed twice. */
  keepers: Owner[];
  /** The parts that threads have claimed since the last query began. */
  claimed: Set<string>;
  /** The version before, as long as it answers or its parts may be brought forward. */
  before: Graph | null;
}

/** Messages to all threads, as orders to the thread. */
interface Told {
  /** Forget all that you have of the graph. */
  drop: (graphId: number) => void;
  /** Forget the version before of the graph. */
  release: (graphId: number) => void;
  /** Forget all versions before this one that you do not keep. */
  outdated: (graphId: number, version: number) => void;
  /** Collect garbage. */
  collect: () => void;
}

/** The part with the nodes and edges. Every query needs it, so it is dropped only together with its graph. */
const keptPart = 'topology';
/** Stands for the caller of a graph that no query has used yet. */
const nobody = '';
/** Memory of dropped parts below this share of the budget is not collected. */
const garbageShare = 1 / 16;
/**
 * Most looks (calls of `look`) between two collections of garbage. A dropped part is not garbage while a query still uses it, so the
 * threads collect again after 1, 2, 4, … looks.
 */
const mostLooks = 256;
/** Most looks for which a large load waits until the memory of dropped parts is free. */
const patienceLooks = 20;

/**
 * Registers the parts of graphs that threads have loaded, for the newest version of each graph, and gives each part to the threads that
 * claim it.
 * Beyond the budget, the caller whose graphs take the most loses the graph that was least recently used. A caller with one graph loses
 * parts of it that the query under way has not claimed. A large load counts while it runs. The broker makes V8 collect the memory of
 * dropped parts.
 */
export class PartsBroker {
  /** Graphs by id, in order of use, the latest last. */
  private readonly graphs = new Map<number, Graph>();
  /**
   * Callers by graph, the latest last. All callers of a graph in memory share its size. For any other graph only the last caller is kept.
   */
  private readonly callers = new Map<number, Set<string>>();
  private readonly inUse = new PartsInUse();
  private readonly large = new LargeLoads();
  /** The large load that waits for memory. */
  private waiting: { looks: number; begin: () => void } | null = null;
  private looks = 0;
  private nextCollection = 1;

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

  /** Notes that a caller queries a graph. */
  touch(graphId: number, caller: string): void {
    const graph = this.graphs.get(graphId);
    const callers = (graph && this.callers.get(graphId)) ?? new Set();
    callers.delete(caller);
    this.callers.set(graphId, callers.add(caller));
    if (!graph) return;
    graph.claimed.clear();
    this.graphs.delete(graphId);
    this.graphs.set(graphId, graph);
  }

  /** The version whose nodes and edges are in memory; null if there is none. */
  topologyOf(graphId: number): TopologyOf | null {
    const graph = this.graphs.get(graphId);
    return graph?.parts.has(keptPart) ? { graphId, version: graph.version } : null;
  }

  /** Whether the search index of the newest version that is known is in memory. */
  hasIndex(graphId: number): boolean {
    return this.graphs.get(graphId)?.parts.has(searchPart) === true;
  }

  /** Handles a message of a thread about shared parts. */
  heard(by: Owner, message: PartsMessage, answer: (answer: PartsAnswer) => void): void {
    switch (message.did) {
      case 'claim':
        this.claim(message.key, by, (part, before) => {
          for (const given of [part, before?.topology, before?.part]) if (given) this.inUse.given(given, by);
          answer({ do: 'take', asked: message.asked, part, before });
        });
        break;
      case 'load':
        if (message.part) this.inUse.loaded(message.part, by);
        this.loaded(message.key, message.part);
        break;
      case 'free':
        this.inUse.freed(message.id, by);
        break;
      case 'hold':
        this.hold(message.graphId, message.version, by, message.bytes);
        break;
      case 'keep':
        this.keep(message.graphId, message.version, by);
        break;
      case 'release':
        this.release(message.graphId, message.version, by);
        break;
      case 'ask turn': {
        const { asked, graphId } = message;
        this.large.ask({ by, asked, graphId, caller: this.callerOf(graphId) }, () => this.whenRoomy(() => answer({ do: 'turn', asked })));
        break;
      }
      case 'grow':
        this.large.grow(by, message.asked, message.bytes);
        if (this.large.going) this.evict(this.large.going.graphId, null);
        break;
      case 'end turn':
        this.large.end(by, message.asked);
    }
  }

  /** Makes V8 collect the memory of dropped parts if it exceeds `garbageShare`. To be called some times a second. */
  look(): void {
    const isRoomy = this.inUse.bytes - this.keptBytes <= garbageShare * this.budgetBytes;
    this.looks = isRoomy ? 0 : this.looks + 1;
    if (isRoomy) this.nextCollection = 1;
    else if (this.looks >= this.nextCollection) {
      this.nextCollection = Math.min(2 * this.nextCollection, this.looks + mostLooks);
      this.told.collect();
    }
    if (!this.waiting || (!isRoomy && --this.waiting.looks > 0)) return;
    const { begin } = this.waiting;
    this.waiting = null;
    begin();
  }

  private claim(key: PartKey, by: Owner, claim: Claim): void {
    const graph = this.graphOf(key);
    graph?.claimed.add(key.name);
    const part = graph?.parts.get(key.name);
    const loading = graph?.loading.get(key.name);
    if (part) {
      // A claimed part moves to the end, so that the least recently claimed part is the first.
      graph!.parts.delete(key.name);
      graph!.parts.set(key.name, part);
      claim(part.part, null);
    } else if (loading) loading.waiting.push({ by, claim });
    else {
      graph?.loading.set(key.name, { by, waiting: [] });
      claim(null, partBefore(graph, key.name));
    }
  }

  /** @param part null if the load failed; the next waiting thread then loads the part */
  private loaded(key: PartKey, part: SharedPart | null): void {
    const graph = this.graphOf(key);
    if (!graph) return;
    const { waiting } = graph.loading.get(key.name) ?? { waiting: [] };
    graph.loading.delete(key.name);
    if (part === null) return letNextLoad(graph, key.name, waiting);
    graph.parts.set(key.name, { part, bytes: bytesOf(part.record) });
    for (const { claim } of waiting) claim(part, null);
    forgetBefore(graph);
    this.evict(key.graphId, key.name);
  }

  private hold(graphId: number, version: number, by: Owner, bytes: number): void {
    const graph = this.graphOf({ graphId, version });
    if (!graph) return;
    graph.heldBytes.set(by, (graph.heldBytes.get(by) ?? 0) + bytes);
    // Keep the search index: the held bytes serve it, and it could otherwise be evicted for them at once.
    this.evict(graphId, searchPart);
  }

  /** Notes that a thread continues to answer with this version while the next one loads. */
  private keep(graphId: number, version: number, by: Owner): void {
    const graph = this.graphs.get(graphId);
    const kept = graph?.version === version ? graph : graph?.before;
    if (kept?.version === version) kept.keepers.push(by);
  }

  private release(graphId: number, version: number, by: Owner): void {
    const graph = this.graphs.get(graphId);
    const kept = [graph, graph?.before].find(each => each?.version === version);
    // The thread is not among the keepers if the graph was dropped meanwhile: a graph that is loaded again has no keepers.
    const at = kept?.keepers.indexOf(by) ?? -1;
    if (at >= 0) kept!.keepers.splice(at, 1);
    if (kept && kept === graph?.before) forgetBefore(graph);
  }

  /**
   * Handles the end of a thread: a waiting thread loads each part that it was loading, and the bytes and versions that it kept are
   * forgotten.
   */
  ended(by: Owner): void {
    this.inUse.ended(by);
    this.large.ended(by);
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

  /**
   * The graph in this version, which becomes the newest one if it is newer than the known one. Null for an older version, whose parts are
   * not kept.
   */
  private graphOf({ graphId, version }: Omit<PartKey, 'name'>): Graph | null {
    const known = this.graphs.get(graphId);
    if (known && known.version >= version) return known.version === version ? known : null;
    const graph: Graph = {
      version,
      parts: new Map(),
      loading: new Map(),
      heldBytes: new Map(),
      keepers: [],
      claimed: new Set(),
      before: null,
    };
    graph.before = (known && beforeNext(known)) ?? null;
    if (known) known.before = null;
    this.graphs.delete(graphId);
    this.graphs.set(graphId, graph);
    if (known) {
      letLoadAlone(known);
      this.told.outdated(graphId, version);
    }
    return graph;
  }

  private get keptBytes(): number {
    let sum = 0;
    for (const graph of this.graphs.values()) sum += sizeOf(graph, false);
    return sum;
  }

  private get isOver(): boolean {
    return this.bytes + (this.large.going?.bytes ?? 0) > this.budgetBytes;
  }

  private whenRoomy(begin: () => void): void {
    this.waiting = { looks: patienceLooks, begin };
    this.looks = 0;
    this.nextCollection = 1;
    this.look();
  }

  private callerOf(graphId: number): string {
    return [...(this.callers.get(graphId) ?? [])].at(-1) ?? nobody;
  }

  /**
   * The graph to make room with, among those of the caller whose graphs take the most: the one with the fewest callers, then the least
   * recently used one. The graph `keep` comes last of them, and only while it has a part to give.
   */
  private nextToDrop(keep: number, part: string | null): number | undefined {
    const going = this.large.going;
    const countOf = (graphId: number): number => this.callers.get(graphId)?.size ?? 1;
    const taken = new Map<string, number>();
    const graphsOf = new Map<string, number[]>();
    for (const [graphId, graph] of this.graphs) {
      const bytes = sizeOf(graph) + (going?.graphId === graphId ? going.bytes : 0);
      const callers = this.callers.get(graphId) ?? [nobody];
      for (const caller of callers) {
        taken.set(caller, (taken.get(caller) ?? 0) + bytes / countOf(graphId));
        if (graphId === keep ? this.partToGive(keep, part) !== undefined : bytes > 0)
          graphsOf.set(caller, [...(graphsOf.get(caller) ?? []), graphId]);
      }
    }
    const [most] = [...graphsOf.keys()].sort((a, b) => taken.get(b)! - taken.get(a)!);
    return graphsOf.get(most!)?.sort((a, b) => Number(a === keep) - Number(b === keep) || countOf(a) - countOf(b))[0];
  }

  /**
   * The least recently claimed part of the graph `keep` that may be dropped. It is not `part`, not `keptPart`, and not claimed since the
   * last query began.
   */
  private partToGive(keep: number, part: string | null): string | undefined {
    const graph = this.graphs.get(keep);
    return [...(graph?.parts.keys() ?? [])].find(name => name !== part && name !== keptPart && !graph!.claimed.has(name));
  }

  private evict(keep: number, part: string | null): void {
    for (const [graphId, graph] of this.graphs) {
      if (!this.isOver) return;
      if (!graph.before) continue;
      const answers = graph.before.keepers.length > 0;
      graph.before = null;
      if (answers) this.told.release(graphId);
    }
    while (this.isOver) {
      const graphId = this.nextToDrop(keep, part);
      if (graphId === undefined) {
        // No graph has anything to give, so the parts that queries have claimed may be dropped too.
        const { claimed } = this.graphs.get(keep) ?? {};
        if (!claimed?.size) return;
        claimed.clear();
        continue;
      }
      const graph = this.graphs.get(graphId)!;
      if (graphId === keep) {
        graph.parts.delete(this.partToGive(keep, part)!);
        // On `drop` the threads also forget the bytes that they hold alone.
        graph.heldBytes.clear();
      } else {
        letLoadAlone(graph);
        this.graphs.delete(graphId);
        this.callers.set(graphId, new Set([this.callerOf(graphId)]));
      }
      this.drop(graphId);
    }
  }

  private drop(graphId: number): void {
    this.told.drop(graphId);
    this.nextCollection = this.looks + 1;
  }
}

/** Lets the first of the waiting threads load the part. The others wait for that load. */
function letNextLoad(graph: Graph, name: string, [next, ...waiting]: Loading['waiting']): void {
  if (!next) return;
  graph.loading.set(name, { by: next.by, waiting });
  next.claim(null, partBefore(graph, name));
}

/** Lets each thread that waits for a part of a graph that is no longer kept load the part alone. */
function letLoadAlone({ loading }: Graph): void {
  for (const { waiting } of loading.values()) for (const { claim } of waiting) claim(null, null);
}

/** @param withHeld whether the bytes that single threads hold count too */
function sizeOf({ parts, heldBytes, before }: Graph, withHeld = true): number {
  let sum = before ? sizeOf(before, withHeld) : 0;
  if (withHeld) for (const bytes of heldBytes.values()) sum += bytes;
  for (const { bytes } of parts.values()) sum += bytes;
  return sum;
}

/** The version that stays beside the next one: the version that answers, else the newer of the two that has its nodes and edges. */
function beforeNext(known: Graph): Graph | null {
  const two = [known, known.before].filter(graph => graph !== null);
  return two.find(({ keepers }) => keepers.length > 0) ?? two.find(({ parts }) => parts.has(keptPart)) ?? null;
}

function partBefore(graph: Graph | null, name: string): PartBefore<SharedPart> | null {
  const before = graph?.before;
  const [topology, part] = [keptPart, name].map(each => before?.parts.get(each)?.part);
  return before && topology && part ? { version: before.version, topology, part } : null;
}

/** Forgets the parts of the version before that the new version has too, unless the version before still answers. */
function forgetBefore(graph: Graph): void {
  const { before, parts } = graph;
  if (!before || before.keepers.length > 0) return;
  before.heldBytes.clear();
  for (const name of before.parts.keys()) if (name !== keptPart && parts.has(name)) before.parts.delete(name);
  // The nodes and edges of the version before are used only to bring its other parts forward.
  if (parts.has(keptPart) && [...before.parts.keys()].every(name => name === keptPart)) graph.before = null;
}
