import { setTimeout as sleep } from 'node:timers/promises';
import { GraphChangingError } from '../retrieval.errors.js';
import { type LoadedGraph, type LoadedGraphs } from './loaded-graphs.js';
import { type GraphReader, type RetrievalDatabase } from './retrieval-database.js';
import { sqlstateOf } from '../../sql/sqlstate.js';

/** A graph that changes while it is loaded is loaded again. */
const attempts = 4;
/** How long a query waits for a new version before the one before answers. */
const patienceMs = 100;
/** The SQLSTATEs of a snapshot that is no longer held, up to PostgreSQL 16 and since. */
const snapshotGone: ReadonlySet<string> = new Set(['22023', '42704']);

/** Ways to get the parts of a graph that a query needs in memory. */
export interface Needed<L> {
  /** The parts, if all of them are in memory already; null if something has to be loaded. */
  now: (graph: LoadedGraph) => Promise<L> | null;
  /** Null when the graph has a new version. */
  load: (graph: LoadedGraph) => Promise<L | null>;
}

/** The graph of a query. */
export interface Asked {
  graphId: number;
  timeoutMs: number;
  /** The oldest version that may answer while the newest loads; absent if none but the newest may. */
  oldestVersion?: number;
}

type Work<L, T> = (reader: GraphReader, graph: LoadedGraph, loaded: L) => Promise<T>;

/**
 * Runs `work` with what was loaded of exactly the version that the reader sees. It begins again when a new version arrives in between.
 * A version that is held answers while a newer one takes its time to load.
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
    // Loading goes on outside the query's transaction, so that a cold start does not hold a second snapshot and connection.
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

/** Whether a version that is held may answer in place of this one, and has the part that is asked for. */
export function mayAnswerBefore(
  graphs: LoadedGraphs,
  graph: LoadedGraph,
  { oldestVersion }: Asked,
  hasPart: (graph: LoadedGraph) => boolean,
): boolean {
  const held = graphs.heldBefore(graph);
  return held !== null && oldestVersion !== undefined && held.graph.version >= oldestVersion && hasPart(held.graph);
}

/** Does something else if loading takes longer than a moment. Null if it does not, or if the other way leads nowhere. */
async function beforeLoaded<T>(loading: Promise<unknown>, instead: () => Promise<T | null>): Promise<T | null> {
  // Its failure is told to whoever waits for it.
  const ended = loading.then(
    () => true,
    () => true,
  );
  const timer = new AbortController();
  const isLoaded = await Promise.race([ended, sleep(patienceMs, false, { signal: timer.signal }).catch(() => true)]);
  timer.abort();
  return isLoaded ? null : instead();
}

/** Runs the work with the version that is held. Null without one that may answer. */
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
