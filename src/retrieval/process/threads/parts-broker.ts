import { bytesOf } from '../../../graph-index/shared-arrays.js';
import { LargeLoads } from './large-loads.js';
import { type PartsAnswer, type PartsMessage, type TopologyOf } from './messages.js';
import { PartsInUse } from './parts-in-use.js';
import { type Owner, type PartBefore, type PartKey, searchPart, type SharedPart } from './shared-parts.js';

/** Waits for a part: gets it, or null to load it, perhaps from that of the version before. */
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
  /** Bytes that single threads hold besides the parts. */
  heldBytes: Map<Owner, number>;
  /** The threads in which this version goes on answering while the next one loads, each once for each time that it keeps it. */
  keepers: Owner[];
  /** The parts that threads have claimed since the last query began. */
  claimed: Set<string>;
  /** The version before, while it answers, and while parts of it may be brought forward. */
  before: Graph | null;
}

/** Messages to all threads. */
interface Told {
  /** Forget what you have of the graph. */
  drop: (graphId: number) => void;
  /** Forget the version before of the graph. */
  release: (graphId: number) => void;
  /** Forget all versions before this one that you do not keep. */
  outdated: (graphId: number, version: number) => void;
  /** Collect garbage. */
  collect: () => void;
}

/** Every query needs it, so it is dropped only together with its graph. */
const keptPart = 'topology';
/** Caller of a graph that is used without a query. */
const nobody = '';
/** Less garbage than this share of the budget may lie about. */
const garbageShare = 1 / 16;
/**
 * Most looks between two collections of garbage. A dropped part is not garbage while a query still uses it, so the threads collect again
 * after 1, 2, 4, … looks.
 */
const mostLooks = 256;
/** A large load waits so many looks for the memory of what was dropped. */
const patienceLooks = 20;

/**
 * Knows the parts of graphs that threads have loaded, of the newest version of each graph, and gives each to whoever claims it. Beyond
 * the budget the caller whose graphs take the most gives one up, that which was least recently used; a caller with one graph gives up parts of it that
 * the query under way has not claimed. A large load counts while it goes on. The memory of what was dropped is asked back from V8.
 */
export class PartsBroker {
  /** In order of use, the latest last. */
  private readonly graphs = new Map<number, Graph>();
  /**
   * Callers by graph, the latest last. All who have used a graph that is here share what it takes; only the last caller of any other graph
   * is kept.
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

  /** A query came for this graph. */
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

  /** The version whose nodes and edges are in memory. */
  topologyOf(graphId: number): TopologyOf | null {
    const graph = this.graphs.get(graphId);
    return graph?.parts.has(keptPart) ? { graphId, version: graph.version } : null;
  }

  /** Whether the search index of the newest version that is known is in memory. */
  hasIndex(graphId: number): boolean {
    return this.graphs.get(graphId)?.parts.has(searchPart) === true;
  }

  /** A thread says something of shared parts. */
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

  /** Asks back the memory of what was dropped. Call it some times a second. */
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
      // The least recently claimed part stands first.
      graph!.parts.delete(key.name);
      graph!.parts.set(key.name, part);
      claim(part.part, null);
    } else if (loading) loading.waiting.push({ by, claim });
    else {
      graph?.loading.set(key.name, { by, waiting: [] });
      claim(null, partBefore(graph, key.name));
    }
  }

  /** @param part null if the load failed; the next who waits tries again */
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

  /** A thread goes on answering with this version while the next one loads. */
  private keep(graphId: number, version: number, by: Owner): void {
    const graph = this.graphs.get(graphId);
    const kept = graph?.version === version ? graph : graph?.before;
    if (kept?.version === version) kept.keepers.push(by);
  }

  private release(graphId: number, version: number, by: Owner): void {
    const graph = this.graphs.get(graphId);
    const kept = [graph, graph?.before].find(each => each?.version === version);
    // A graph that was dropped has forgotten its keepers.
    const at = kept?.keepers.indexOf(by) ?? -1;
    if (at >= 0) kept!.keepers.splice(at, 1);
    if (kept && kept === graph?.before) forgetBefore(graph);
  }

  /** A thread has ended: others load what it was loading, and what it alone held and kept is gone. */
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

  /** Null for a version older than the newest that is known, of which nothing is kept. */
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
   * The graph that makes room: of the caller whose graphs take the most, one with the fewest other callers, least recently used. The one
   * to be kept is the last of its caller, and only while it has parts to give.
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

  /** A part of the graph to be kept, other than those that queries have claimed since the last one began, and the one that all need. */
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
        // No other graph is left, so the parts that queries have claimed go too.
        const { claimed } = this.graphs.get(keep) ?? {};
        if (!claimed?.size) return;
        claimed.clear();
        continue;
      }
      const graph = this.graphs.get(graphId)!;
      if (graphId === keep) {
        graph.parts.delete(this.partToGive(keep, part)!);
        // The threads forget with it what they alone hold.
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

/** The first of those who wait loads the part, and the others wait for it. */
function letNextLoad(graph: Graph, name: string, [next, ...waiting]: Loading['waiting']): void {
  if (!next) return;
  graph.loading.set(name, { by: next.by, waiting });
  next.claim(null, partBefore(graph, name));
}

/** Lets each thread that waits for a part of a graph that is no longer kept load the part alone. */
function letLoadAlone({ loading }: Graph): void {
  for (const { waiting } of loading.values()) for (const { claim } of waiting) claim(null, null);
}

/** @param withHeld also what single threads hold */
function sizeOf({ parts, heldBytes, before }: Graph, withHeld = true): number {
  let sum = before ? sizeOf(before, withHeld) : 0;
  if (withHeld) for (const bytes of heldBytes.values()) sum += bytes;
  for (const { bytes } of parts.values()) sum += bytes;
  return sum;
}

/** Which of two versions stays beside the next one: that which answers, else the newer one that has its nodes and edges. */
function beforeNext(known: Graph): Graph | null {
  const two = [known, known.before].filter(graph => graph !== null);
  return two.find(({ keepers }) => keepers.length > 0) ?? two.find(({ parts }) => parts.has(keptPart)) ?? null;
}

function partBefore(graph: Graph | null, name: string): PartBefore<SharedPart> | null {
  const before = graph?.before;
  const [topology, part] = [keptPart, name].map(each => before?.parts.get(each)?.part);
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
