import { inTurns } from '../../common/turns/pace.js';
import { compactText, normalizeText } from '../../graph-index/tokenize-text.js';
import { SearchIndex } from '../../graph-index/search-index.js';
import { type PropertyColumn } from '../../graph-index/property-column.js';
import { buildPropertyIndex } from '../../graph-index/property-index.js';
import { bytesOf } from '../../graph-index/shared-arrays.js';
import { type Topology } from '../../graph-index/topology.js';
import { ValueDictionary } from '../../graph-index/value-dictionary.js';
import { type ToOne } from '../../questions/planning/schema-paths.js';
import { type PropertiesRead } from '../../cypher/plan/properties-read.js';
import { GraphExceedsMemoryError } from '../retrieval.errors.js';
import { type GraphElements } from './graph-elements.js';
import { elementTypesOf } from './element-types.js';
import { type LoadedElements } from './graph-in-memory.js';
import { broughtColumn, broughtTopology, broughtWholeProperties } from './load/bring-forward.js';
import { type ElementKind, loadColumn, loadWholeProperties } from './load/load-properties.js';
import { type LoadRoom } from './load/load-room.js';
import { loadTopology } from './load/load-topology.js';
import { type SnapshotFiles } from './load/snapshot-files.js';
import { type HeldVersion, HeldVersions } from './held-versions.js';
import { type IndexRecord, loadIndex } from './load-index.js';
import { readGraphElements } from './read-graph-elements.js';
import { type GraphReader, type RetrievalDatabase, VersionMovedError } from './retrieval-database.js';
import { type GraphVersion, PartLoads, readStamp } from './part-loads.js';
import { searchPart, type SharedParts } from './threads/shared-parts.js';
import { numberKindOf } from './source-values.js';

/** Minimum nodes and edges of a graph whose old version is held while a new one loads. A smaller graph loads in a moment. */
const leastHeld = 100_000;
const kinds: readonly ElementKind[] = ['nodes', 'edges'];
/** The name under which a thread's working memory for searches is counted, as if it were a part. */
const scratchPart = 'scratch';

/** For each use: the kinds of elements whose properties it reads, and the further parts that must fit into memory with them. */
const uses: Record<'cypher' | 'question' | 'filter', { kinds: readonly ElementKind[]; beside: readonly string[] }> = {
  cypher: { kinds, beside: [] },
  question: { kinds, beside: [searchPart, scratchPart] },
  filter: { kinds: ['nodes'], beside: [searchPart, scratchPart] },
};
export type ElementsUse = keyof typeof uses;

/** One version of one graph in memory. Its index is loaded when a search or a question first needs it. */
export interface LoadedGraph extends GraphVersion {
  /** Maps normalised label names and aliases to their label. */
  labelNames: ReadonlyMap<string, string>;
  index: Promise<LoadedIndex> | null;
  hasIndex: boolean;
  /** Whether a query has asked for the index. */
  usesIndex: boolean;
  /** The properties that the last query of each use could read. */
  reads: Map<ElementsUse, PropertiesRead>;
}

export interface LoadedIndex {
  index: SearchIndex;
  values: ValueDictionary;
  toOne: ToOne;
}

/** The graphs that a thread works on: the newest version of each. A query that still uses a dropped graph goes on with it. */
export class LoadedGraphs {
  private readonly graphs = new Map<number, LoadedGraph>();
  /** The version whose nodes and edges another thread has loaded, by graph id. */
  private readonly topologies = new Map<number, number>();
  private readonly loads: PartLoads;
  private readonly held: HeldVersions<LoadedGraph>;

  constructor(
    database: RetrievalDatabase,
    private readonly budgetBytes: number,
    private readonly parts: SharedParts,
    files: SnapshotFiles | null,
    onFileFault: (error: unknown) => void,
  ) {
    this.loads = new PartLoads(database, budgetBytes, parts, files, onFileFault);
    this.held = new HeldVersions(database, ({ graphId, version }) => parts.release(graphId, version));
  }

  /** Remembers the last user who queried a graph. Small loads of the graph count against this user's share. */
  askedBy(graphId: number, caller: string): void {
    this.loads.askedBy(graphId, caller);
  }

  /** The newest version in memory, if any. */
  find(graphId: number): LoadedGraph | undefined {
    return this.graphs.get(graphId);
  }

  /**
   * Holds the loaded version of a large graph, because a run is about to make a new version. The held version answers queries until the
   * same parts of the new version are loaded.
   * @param least minimum nodes and edges of a graph that is held
   */
  async hold(graphId: number, least = leastHeld): Promise<void> {
    const graph = this.graphs.get(graphId);
    if (!graph || (!graph.hasIndex && graph.reads.size === 0) || sizeOf(graph) < least) return;
    if (await this.held.hold(graph, () => this.graphs.get(graphId) === graph)) this.parts.keep(graphId, graph.version);
  }

  /** The held older version that may answer while the given version loads; null if there is none. */
  heldBefore({ graphId, version }: LoadedGraph): HeldVersion<LoadedGraph> | null {
    const held = this.held.find(graphId);
    return held && held.graph.version < version ? held : null;
  }

  releaseAll(): void {
    this.held.releaseAll();
  }

  /** Gets the graph in the reader's version. */
  async get(reader: GraphReader): Promise<LoadedGraph> {
    const known = this.graphs.get(reader.graphId);
    if (known?.version === reader.version) return known;
    const schema = await readGraphElements(reader);
    const labelNames = new Map<string, string>();
    // Key labels are set last, so that they take precedence over further labels of the same name.
    for (const label of [...schema.labels.flatMap(({ furtherLabels = [] }) => furtherLabels), ...schema.labels])
      for (const name of [label.name, ...label.aliases]) labelNames.set(compactText(normalizeText(name)), label.name);
    const graph: LoadedGraph = {
      graphId: reader.graphId,
      version: reader.version,
      schema,
      labelNames,
      index: null,
      hasIndex: false,
      usesIndex: false,
      reads: new Map(),
    };
    // A reader with an older snapshot must not replace a newer version.
    const kept = this.graphs.get(reader.graphId);
    if (kept && kept.version === reader.version) return kept;
    if (!kept || kept.version < reader.version) this.graphs.set(reader.graphId, graph);
    return graph;
  }

  /** The index, if it is in memory. */
  indexNow({ index, hasIndex }: LoadedGraph): Promise<LoadedIndex> | null {
    return hasIndex ? index : null;
  }

  /** Whether the nodes and edges are in memory, in this thread or in another. */
  hasTopology({ graphId, version }: LoadedGraph): boolean {
    return this.topologies.get(graphId) === version || this.parts.has({ graphId, version, name: 'topology' });
  }

  /** Notes that another thread has loaded the nodes and edges of this version. */
  noteTopology(graphId: number, version: number): void {
    this.topologies.set(graphId, version);
  }

  /** The elements with the properties that `read` names, if all of them are in memory. */
  elementsNow(graph: LoadedGraph, read: PropertiesRead, use: ElementsUse = 'cypher'): Promise<LoadedElements> | null {
    return this.hasElements(graph, read, use) ? (this.elementsOf(graph, read, use) as Promise<LoadedElements>) : null;
  }

  hasElements(graph: LoadedGraph, read: PropertiesRead, use: ElementsUse = 'cypher'): boolean {
    const { graphId, version } = graph;
    return this.neededBy(graph, read, use).every(name => this.parts.has({ graphId, version, name }));
  }

  release(graphId: number): void {
    this.held.release(graphId);
  }

  /**
   * Drops the index of an outdated version, unless the version is held. The version itself is kept: it shows which parts of the newer
   * version to load before the next query.
   */
  outdated(graphId: number, version: number): void {
    const graph = this.graphs.get(graphId);
    if (!graph || graph.version >= version || this.held.find(graphId)?.graph === graph) return;
    graph.index = null;
    graph.hasIndex = false;
  }

  drop(graphId: number): void {
    this.held.release(graphId);
    this.graphs.delete(graphId);
    this.topologies.delete(graphId);
  }

  /**
   * Gets the index of exactly this version. Null if the database has a newer version by now; the caller then starts again. All callers
   * share one load, which continues if one of them gives up.
   * @throws GraphExceedsMemoryError, at once if this version has been found too large before
   */
  async indexOf(graph: LoadedGraph): Promise<LoadedIndex | null> {
    graph.usesIndex = true;
    graph.index ??= this.loads
      .part(graph, searchPart, { read: (reader, room) => this.indexWithinBudget(graph, reader, room) })
      .then(record => {
        const index = new SearchIndex(record);
        this.parts.holds(graph.graphId, graph.version, index.scratchBytes);
        this.loads.note({ graphId: graph.graphId, version: graph.version, name: scratchPart }, index.scratchBytes);
        return { index, values: new ValueDictionary(record), toOne: record.toOne };
      });
    const loading = graph.index;
    try {
      const loaded = await loading;
      graph.hasIndex = true;
      this.settle(graph);
      return loaded;
    } catch (error) {
      if (graph.index === loading) graph.index = null;
      if (error instanceof VersionMovedError) return null;
      throw error;
    }
  }

  private async indexWithinBudget(graph: LoadedGraph, reader: GraphReader, room: LoadRoom): Promise<IndexRecord> {
    const record = await loadIndex(reader, graph.schema, room);
    if (bytesOf(record) > this.budgetBytes) throw new GraphExceedsMemoryError(graph.graphId, this.budgetBytes);
    return record;
  }

  /**
   * Gets the nodes and edges of exactly this version, with the properties that `read` names. Null if the database has a newer version by
   * now.
   * @throws GraphExceedsMemoryError
   */
  async elementsOf(graph: LoadedGraph, read: PropertiesRead, use: ElementsUse = 'cypher'): Promise<LoadedElements | null> {
    const loaded = await this.elementsOfVersion(graph, read, use);
    if (loaded) this.settle(graph);
    return loaded;
  }

  /** Releases the held older version once this version has loaded the same parts. */
  private settle(graph: LoadedGraph): void {
    const before = this.heldBefore(graph)?.graph;
    if (!before || (before.hasIndex && !graph.hasIndex)) return;
    if (![...before.reads].every(([use, read]) => this.hasElements(graph, read, use))) return;
    this.held.release(graph.graphId);
  }

  private async elementsOfVersion(graph: LoadedGraph, read: PropertiesRead, use: ElementsUse): Promise<LoadedElements | null> {
    const { names, looked } = read;
    this.requireRoom(graph, read, use);
    graph.reads.set(use, read);
    try {
      const topology = await this.loads.part(graph, 'topology', {
        read: async (reader, room) => ({ ...(await loadTopology(reader, room)), stamp: await readStamp(reader) }),
        bringForward: async (reader, earlier) => {
          const brought = await broughtTopology(reader, earlier);
          return brought && hasCounts(brought, graph.schema) ? { ...brought, stamp: await readStamp(reader) } : null;
        },
      });
      if (names === null) {
        const [nodes, edges] = await Promise.all(kinds.map(kind => this.wholeOf(graph, topology, kind)));
        this.requireRoom(graph, read, use);
        const columns = { nodes: new Map(), edges: new Map() };
        return { topology, columns, indexes: new Map(), whole: { nodes: nodes!, edges: edges! } };
      }
      const [nodes, edges] = await Promise.all(
        kinds.map(kind => this.columnsOf(graph, topology, kind, uses[use].kinds.includes(kind) ? names : new Set())),
      );
      const indexes = await this.indexesOf(graph, nodes!, looked);
      this.requireRoom(graph, read, use);
      return { topology, columns: { nodes: nodes!, edges: edges! }, indexes, whole: null };
    } catch (error) {
      if (error instanceof VersionMovedError) return null;
      throw error;
    }
  }

  private neededBy(graph: LoadedGraph, read: PropertiesRead, use: ElementsUse): string[] {
    return ['topology', ...uses[use].kinds.flatMap(kind => this.partsOf(graph, kind, read))];
  }

  /**
   * Checks that the parts that a query needs fit into memory together. Otherwise they would evict each other, and each such query would
   * load them anew.
   * @throws GraphExceedsMemoryError
   */
  requireRoom(graph: LoadedGraph, read: PropertiesRead, use: ElementsUse): void {
    const bytes = this.loads.bytesOf(graph, [...this.neededBy(graph, read, use), ...uses[use].beside]);
    if (bytes <= this.budgetBytes) return;
    throw new GraphExceedsMemoryError(graph.graphId, this.budgetBytes, use === 'filter' ? 'filter' : 'cypher');
  }

  private partsOf(graph: LoadedGraph, kind: ElementKind, { names, looked }: PropertiesRead): string[] {
    if (names === null) return [`${kind}:*`];
    const columns = this.knownNames(graph, kind, names);
    const indexes = kind === 'nodes' ? columns.filter(name => looked.has(name)) : [];
    return [...columns.map(name => `${kind}:.${name}`), ...indexes.map(name => `${kind}:=${name}`)];
  }

  /** The given names that are properties of the graph's nodes, or of its edges. */
  private knownNames({ schema }: LoadedGraph, kind: ElementKind, names: ReadonlySet<string>): string[] {
    const known = new Set(
      (kind === 'nodes' ? schema.labels : schema.edges).flatMap(({ properties }) => properties.map(({ name }) => name)),
    );
    return [...names].filter(name => known.has(name));
  }

  private wholeOf(graph: LoadedGraph, topology: Topology, kind: ElementKind) {
    return this.loads.part(graph, `${kind}:*`, {
      read: (reader, room) => loadWholeProperties(reader, topology, kind, room),
      bringForward: (reader, earlier) => broughtWholeProperties(reader, topology, earlier, kind),
    });
  }

  private async columnsOf(graph: LoadedGraph, topology: Topology, kind: ElementKind, names: ReadonlySet<string>) {
    const types = elementTypesOf(topology, graph.schema)[kind];
    const wanted = this.knownNames(graph, kind, names);
    const columns = await Promise.all(
      wanted.map(property => {
        const column = { elements: kind, property, kinds: types.map(each => numberKindOf(each.get(property))) };
        return this.loads.part(graph, `${kind}:.${property}`, {
          read: (reader, room) => loadColumn(reader, topology, column, room),
          bringForward: (reader, earlier) => broughtColumn(reader, topology, earlier, column),
        });
      }),
    );
    return new Map(wanted.map((name, i) => [name, columns[i]!]));
  }

  private async indexesOf(graph: LoadedGraph, columns: ReadonlyMap<string, PropertyColumn>, looked: ReadonlySet<string>) {
    const { graphId, version } = graph;
    const wanted = [...columns].filter(([name]) => looked.has(name));
    const indexes = await Promise.all(
      wanted.map(([name, column]) =>
        this.loads.derive({ graphId, version, name: `nodes:=${name}` }, () => inTurns(buildPropertyIndex(column))),
      ),
    );
    return new Map(wanted.map(([name], i) => [name, indexes[i]!]));
  }
}

function sizeOf({ schema }: LoadedGraph): number {
  return [...schema.labels, ...schema.edges].reduce((sum, { rowCount }) => sum + rowCount, 0);
}

/** Whether the topology has as many nodes and edges as runs have counted. */
function hasCounts({ nodeIds, edgeIds }: Topology, { labels, edges }: GraphElements): boolean {
  const sum = (counted: readonly { rowCount: number }[]): number => counted.reduce((total, { rowCount }) => total + rowCount, 0);
  return nodeIds.length === sum(labels) && edgeIds.length === sum(edges);
}
