import { GraphChangingError } from '../retrieval.errors.js';
import { type LoadedGraph, type LoadedGraphs } from './loaded-graphs.js';
import { type GraphReader, type RetrievalDatabase } from './retrieval-database.js';

/** A graph that changes while it is loaded is loaded again. */
const attempts = 4;

/** What a query needs of a graph in memory. */
export interface Needed<L> {
  /** What is in memory already; null if something has to be loaded. */
  now: (graph: LoadedGraph) => Promise<L> | null;
  /** Null when the graph has a new version. */
  load: (graph: LoadedGraph) => Promise<L | null>;
}

/**
 * Runs `work` with what was loaded of exactly the version that the reader sees. It begins again when a new version arrives in between.
 * @throws GraphChangingError
 */
export async function withLoaded<L, T>(
  database: RetrievalDatabase,
  graphs: LoadedGraphs,
  query: { graphId: number; timeoutMs: number },
  signal: AbortSignal,
  { now, load }: Needed<L>,
  work: (reader: GraphReader, graph: LoadedGraph, loaded: L) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    // Loading goes on outside the query's transaction, so that a cold start does not hold a second snapshot and connection.
    const begun = await database.readGraph(query.graphId, query.timeoutMs, signal, async reader => {
      const graph = await graphs.get(reader);
      const present = now(graph);
      return present ? { graph, done: { value: await work(reader, graph, await present) } } : { graph, done: null };
    });
    const { graph, done } = begun;
    if (done) return done.value;
    const loaded = await load(graph);
    if (loaded === null) continue;
    // A replica may be behind what has just been read from the database.
    const result = await database
      .atLeast(graph.version)
      .readGraph(query.graphId, query.timeoutMs, signal, async reader =>
        reader.version === graph.version ? { value: await work(reader, graph, loaded) } : null,
      );
    if (result) return result.value;
  }
  throw new GraphChangingError();
}
