import { setTimeout as sleep } from 'node:timers/promises';
import { GraphChangingError } from '../retrieval.errors.js';
import { type LoadedGraph, type LoadedGraphs } from './loaded-graphs.js';
import { type GraphReader, type RetrievalDatabase } from './retrieval-database.js';
import { sqlstateOf } from '../../sql/sqlstate.js';

/** How often a graph is loaded for one query when it changes during each load. */
const attempts = 4;
/** Milliseconds that a query waits for a new version to load before the held older version answers. */
const patienceMs = 100;
/** The SQLSTATEs of a snapshot that is not held any more: in PostgreSQL up to 16, and in later versions. */
const snapshotGone: ReadonlySet<string> = new Set(['22023', '42704']);

/** Two ways to get the parts of a graph in memory that a query needs. */
export interface Needed<L> {
  /** The parts, if all of them are in memory; null if any part must be loaded. */
  now: (graph: LoadedGraph) => Promise<L> | null;
  /** Loads the parts that are not in memory. Null if the graph gets a new version meanwhile. */
  load: (graph: LoadedGraph) => Promise<L | null>;
}

/** The graph of a query. */
export interface Asked {
  graphId: number;
  timeoutMs: number;
  /** The oldest version that may answer while the newest loads; if absent, only the newest version may answer. */
  oldestVersion?: number;
}

type Work<L, T> = (reader: GraphReader, graph: LoadedGraph, loaded: L) => Promise<T>;

/**
 * Runs `work` with parts of exactly the version that the reader sees. Begins again when the graph gets a new version before these parts are
 * loaded. A held older version answers if the newer one takes long to load.
 * @throws GraphChangingError
 */
export async function withLoaded<L, T>(
  database: RetrievalDatabase,
  graphs: LoadedGraphs,
  query: Asked,
  signal: AbortSignal,
  { now, load }: Needed<L>,
  work: Work<L, T>,
): Promise<T> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    // Parts are loaded outside the query's transaction, so that a slow load does not hold a second snapshot and connection.
    const begun = await database.readGraph(query.graphId, query.timeoutMs, signal, async reader => {
      const graph = await graphs.get(reader);
      const present = now(graph);
      return present ? { graph, done: { value: await work(reader, graph, await present) } } : { graph, done: null };
    });
    const { graph, done } = begun;
    if (done) return done.value;
    const loading = load(graph);
    const early = await beforeLoaded(loading, () => withHeld(graphs, graph, query, signal, now, work));
    if (early) return early.value;
    const loaded = await loading;
    if (loaded === null) continue;
    // A replica may not yet have the version that was just read, which `atLeast` requires.
    const result = await database
      .atLeast(graph.version)
      .readGraph(query.graphId, query.timeoutMs, signal, async reader =>
        reader.version === graph.version ? { value: await work(reader, graph, loaded) } : null,
      );
    if (result) return result.value;
  }
  throw new GraphChangingError();
}

/** Whether a held version may answer in place of this version, and has the parts that the query needs. */
export function mayAnswerBefore(
  graphs: LoadedGraphs,
  graph: LoadedGraph,
  { oldestVersion }: Asked,
  hasPart: (graph: LoadedGraph) => boolean,
): boolean {
  const held = graphs.heldBefore(graph);
  return held !== null && oldestVersion !== undefined && held.graph.version >= oldestVersion && hasPart(held.graph);
}

/** Runs `instead` if loading takes longer than `patienceMs`. Null if loading ends in time, or if `instead` gives no result. */
async function beforeLoaded<T>(loading: Promise<unknown>, instead: () => Promise<T | null>): Promise<T | null> {
  // A failure of the load is reported to the caller that awaits `loading` itself.
  const ended = loading.then(
    () => true,
    () => true,
  );
  const timer = new AbortController();
  const isLoaded = await Promise.race([ended, sleep(patienceMs, false, { signal: timer.signal }).catch(() => true)]);
  timer.abort();
  return isLoaded ? null : instead();
}

/** Runs the work with the held version of the graph. Null if no version is held, or if it may not answer. */
async function withHeld<L, T>(
  graphs: LoadedGraphs,
  graph: LoadedGraph,
  query: Asked,
  signal: AbortSignal,
  now: Needed<L>['now'],
  work: Work<L, T>,
): Promise<{ value: T } | null> {
  const held = graphs.heldBefore(graph);
  const present = held && mayAnswerBefore(graphs, graph, query, () => true) ? now(held.graph) : null;
  if (!held || !present) return null;
  const loaded = await present;
  try {
    const read = (reader: GraphReader): Promise<T> => work(reader, held.graph, loaded);
    return { value: await held.database.readGraph(query.graphId, query.timeoutMs, signal, read) };
  } catch (error) {
    if (snapshotGone.has(sqlstateOf(error))) return null;
    throw error;
  }
}
