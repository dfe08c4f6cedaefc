import { compactText, normalizeText } from '../../graph-index/tokenize-text.js';
import { type SearchIndex } from '../../graph-index/search-index.js';
import { type ValueDictionary } from '../../graph-index/value-dictionary.js';
import { type GraphElements } from './graph-elements.js';
import { GraphExceedsMemoryError } from '../retrieval.errors.js';
import { loadIndex } from './load-index.js';
import { LoadLane } from './load-lane.js';
import { type LoadedTopology, loadTopology } from './load-topology.js';
import { readGraphElements } from './read-graph-elements.js';
import { type ToOne } from '../../questions/planning/rank-paths.js';
import { readToOneTypes } from './to-one-types.js';
import { type GraphReader, type RetrievalDatabase } from './retrieval-database.js';

const loadTimeoutMs = 600_000;
/** More than `loadIndex` fetches at once. The limit on answers does not apply to loading. */
const mostBytesPerFetch = 64 * 1024 * 1024;
const bytesOfSchema = 20_000;
const leastBytesPerNode = 36;
const smallNodes = 50_000;

/** One version of one graph in memory. Its index is loaded when a search or a question first needs it. */
export interface LoadedGraph {
  graphId: number;
  version: number;
  schema: GraphElements;
  /** Maps normalised label names and aliases to their label. */
  labelNames: ReadonlyMap<string, string>;
  index: Promise<LoadedIndex> | null;
  /** For queries that run in memory; loaded when the first of them comes. */
  topology: Promise<LoadedTopology> | null;
  bytes: number;
}

export interface LoadedIndex {
  index: SearchIndex;
  values: ValueDictionary;
  toOne: ToOne;
}

/**
 * The graphs in memory: the newest version of each. Beyond the budget the least recently used is dropped. A query that still uses a
 * dropped graph goes on with it.
 */
export class LoadedGraphs {
  /** Versions that do not fit into memory. Finding that out again would cost a whole load. */
  private readonly refused = {
    index: new Map<number, { version: number; error: GraphExceedsMemoryError }>(),
    topology: new Map<number, { version: number; error: GraphExceedsMemoryError }>(),
  };
  /**
   * Large graphs load in a lane of their own: one of a million nodes takes half a minute, and those of a thousand must not wait for
   * it.
   */
  private readonly large = new LoadLane(1);
  private readonly small = new LoadLane(3);
  /** In order of use, the latest last. */
  private readonly graphs = new Map<number, LoadedGraph>();

  constructor(
    private readonly database: RetrievalDatabase,
    private readonly budgetBytes: number,
  ) {}

  get count(): number {
    return this.graphs.size;
  }

  get bytes(): number {
    let sum = 0;
    for (const graph of this.graphs.values()) sum += graph.bytes;
    return sum;
  }

  /** Gets the graph in the reader's version. */
  async get(reader: GraphReader): Promise<LoadedGraph> {
    const known = this.graphs.get(reader.graphId);
    if (known?.version === reader.version) {
      this.touch(known);
      return known;
    }
    const schema = await readGraphElements(reader);
    const labelNames = new Map<string, string>();
    // The label of a key counts before a further one of the same name.
    for (const label of [...schema.labels.flatMap(({ furtherLabels = [] }) => furtherLabels), ...schema.labels])
      for (const name of [label.name, ...label.aliases]) labelNames.set(compactText(normalizeText(name)), label.name);
    const graph: LoadedGraph = {
      graphId: reader.graphId,
      version: reader.version,
      schema,
      labelNames,
      index: null,
      topology: null,
      bytes: bytesOfSchema,
    };
    // A reader with an older snapshot must not replace a newer version.
    const kept = this.graphs.get(reader.graphId);
    if (kept && kept.version === reader.version) return kept;
    if (!kept || kept.version < reader.version) this.touch(graph);
    return graph;
  }

  /**
   * Gets the index of this very version. Null when the database has moved on meanwhile; the caller then starts again. All callers
   * share one load, which goes on when one of them gives up.
   * @throws GraphExceedsMemoryError, at once if this version has been found too large before
   */
  indexOf(graph: LoadedGraph): Promise<LoadedIndex | null> {
    return this.partOf(graph, 'index', () =>
      this.load(graph, 'search', async reader => {
        const { index, values } = await loadIndex(reader, graph.schema, this.budgetBytes);
        const bytes = index.bytes + values.bytes;
        return { loaded: { index, values, toOne: await readToOneTypes(reader) }, bytes };
      }),
    );
  }

  /** Gets the nodes and edges of this very version, likewise. */
  topologyOf(graph: LoadedGraph): Promise<LoadedTopology | null> {
    return this.partOf(graph, 'topology', () =>
      this.load(graph, 'cypher', async reader => {
        const loaded = await loadTopology(reader, this.budgetBytes);
        return { loaded, bytes: loaded.bytes };
      }),
    );
  }

  private async partOf<P extends 'index' | 'topology'>(
    graph: LoadedGraph,
    part: P,
    load: () => NonNullable<LoadedGraph[P]>,
  ): Promise<Awaited<LoadedGraph[P]>> {
    const refused = this.refused[part].get(graph.graphId);
    if (refused?.version === graph.version) throw refused.error;
    graph[part] ??= load();
    try {
      const loaded = await graph[part];
      this.refused[part].delete(graph.graphId);
      return loaded;
    } catch (error) {
      graph[part] = null;
      if (error instanceof VersionMovedError) return null as Awaited<LoadedGraph[P]>;
      if (error instanceof GraphExceedsMemoryError) this.refused[part].set(graph.graphId, { version: graph.version, error });
      throw error;
    }
  }

  private async load<T>(
    graph: LoadedGraph,
    use: 'search' | 'cypher',
    read: (reader: GraphReader) => Promise<{ loaded: T; bytes: number }>,
  ): Promise<T> {
    const nodes = graph.schema.labels.reduce((sum, label) => sum + label.rowCount, 0);
    // A graph that certainly does not fit is not loaded at all.
    if (nodes * leastBytesPerNode > this.budgetBytes) throw new GraphExceedsMemoryError(graph.graphId, this.budgetBytes, use);
    const readVersion = (reader: GraphReader) => {
      if (reader.version !== graph.version) throw new VersionMovedError();
      return read(reader);
    };
    const { signal } = new AbortController();
    const lane = nodes > smallNodes ? this.large : this.small;
    const { loaded, bytes } = await lane.run(() =>
      this.database.readGraph(graph.graphId, loadTimeoutMs, signal, readVersion, mostBytesPerFetch),
    );
    graph.bytes += bytes;
    this.evict(graph);
    return loaded;
  }

  private touch(graph: LoadedGraph): void {
    this.graphs.delete(graph.graphId);
    this.graphs.set(graph.graphId, graph);
  }

  private evict(keep: LoadedGraph): void {
    for (const graph of this.graphs.values()) {
      if (this.bytes <= this.budgetBytes) return;
      if (graph !== keep) this.graphs.delete(graph.graphId);
    }
  }
}

class VersionMovedError extends Error {}
