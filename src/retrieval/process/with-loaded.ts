import { type LoadedGraph, type LoadedGraphs } from './loaded-graphs.js';
import { type GraphReader, type RetrievalDatabase } from './retrieval-database.js';

/** A graph that changes while it is loaded is loaded again. */
const attempts = 4;

/**
 * Runs `work` with what was loaded of exactly the version that the reader sees. It begins again when a new version arrives in between.
 * @param load gives null when the graph has a new version
 */
export async function withLoaded<L, T>(
  database: RetrievalDatabase,
  graphs: LoadedGraphs,
  query: { graphId: number; timeoutMs: number },
  signal: AbortSignal,
  load: (graph: LoadedGraph) => Promise<L | null>,
  work: (reader: GraphReader, graph: LoadedGraph, loaded: L) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    // Loading goes on outside the query's transaction, so that a cold start does not hold a second snapshot and connection.
    const graph = await database.readGraph(query.graphId, query.timeoutMs, signal, reader => graphs.get(reader));
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
  throw new Error(`Graph ${query.graphId} changed during each of ${attempts} attempts to read it`);
}
