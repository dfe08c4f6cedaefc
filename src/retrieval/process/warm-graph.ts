import { type Logger } from 'pino';
import { GraphExceedsMemoryError } from '../retrieval.errors.js';
import { type LoadedGraphs } from './loaded-graphs.js';
import { type RetrievalDatabase } from './retrieval-database.js';

const timeoutMs = 10_000;

/**
 * Loads those parts of a graph's newest version that are loaded in an older version, before the next query needs them. A graph that nobody
 * has used is left alone. Never rejects: a part that cannot be loaded now is loaded, or refused, when a query needs it.
 */
export async function warmGraph(database: RetrievalDatabase, graphs: LoadedGraphs, graphId: number, log: Logger): Promise<void> {
  const newest = graphs.find(graphId);
  const used = (newest && graphs.heldBefore(newest)?.graph) ?? newest;
  if (!used || (!used.usesIndex && used.reads.size === 0)) return;
  try {
    const graph = await database.readGraph(graphId, timeoutMs, new AbortController().signal, reader => graphs.get(reader));
    if (graph === used) return;
    if (used.usesIndex) await graphs.indexOf(graph);
    for (const [use, read] of used.reads)
      await graphs.elementsOf(graph, read, use).catch((error: unknown) => {
        // A part that does not fit any more is refused when a query needs it. It must not keep the other parts from loading.
        if (!(error instanceof GraphExceedsMemoryError)) throw error;
      });
  } catch (cause) {
    graphs.release(graphId);
    log.info({ cause, graph: graphId }, 'A graph could not be loaded ahead of its queries');
  }
}
