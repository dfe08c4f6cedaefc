import { type HeldSnapshot, type RetrievalDatabase } from './retrieval-database.js';

/** Milliseconds after which a run counts as failed if it has not committed. A run commits shortly after its announcement, or fails. */
const awaitRunMs = 60_000;
/** The most milliseconds for which a version is held while the new version loads. */
const mostMs = 300_000;
/** The most versions that are held at once. Each takes a database connection. */
const mostHeld = 2;

/** A version that still answers queries while a newer version loads, and a snapshot of the database at that version. */
export interface HeldVersion<G> {
  graph: G;
  database: RetrievalDatabase;
}

/**
 * The versions that still answer queries while newer ones load. Each has a snapshot of the database that was taken before the run
 * committed, so that everything that an answer reads belongs to the same version as the loaded arrays.
 */
export class HeldVersions<G extends { graphId: number; version: number }> {
  private readonly held = new Map<number, HeldVersion<G> & { snapshot: HeldSnapshot; timers: NodeJS.Timeout[] }>();
  /** Ids of the graphs whose snapshot is being taken. */
  private readonly taking = new Set<number>();

  /** @param onRelease called once for each graph version that is no longer held */
  constructor(
    private readonly database: RetrievalDatabase,
    private readonly onRelease: (graph: G) => void,
  ) {}

  /**
   * Holds the version of a graph that is in memory.
   * @param isNewest called once the announced run should have committed. Returns whether the held version is still the newest known
   *   version; the run has then failed, and the version is released
   * @returns false if the database has another version by now, if too many versions are held, or if the version was released meanwhile
   */
  async hold(graph: G, isNewest: () => boolean): Promise<boolean> {
    const { graphId, version } = graph;
    if (this.held.size + this.taking.size >= mostHeld || this.taking.has(graphId)) return false;
    this.taking.add(graphId);
    let isWanted = false;
    const snapshot = await this.database.hold(graphId, mostMs).finally(() => (isWanted = this.taking.delete(graphId)));
    if (!isWanted || snapshot.version !== version || this.held.has(graphId)) {
      snapshot.release();
      return false;
    }
    const end = (): void => this.release(graphId);
    const timers = [setTimeout(() => isNewest() && end(), awaitRunMs), setTimeout(end, mostMs)];
    for (const timer of timers) timer.unref();
    this.held.set(graphId, { graph, database: snapshot.database, snapshot, timers });
    return true;
  }

  find(graphId: number): HeldVersion<G> | undefined {
    return this.held.get(graphId);
  }

  release(graphId: number): void {
    this.taking.delete(graphId);
    const held = this.held.get(graphId);
    if (!held) return;
    this.held.delete(graphId);
    for (const timer of held.timers) clearTimeout(timer);
    held.snapshot.release();
    this.onRelease(held.graph);
  }

  releaseAll(): void {
    for (const graphId of [...this.held.keys(), ...this.taking]) this.release(graphId);
  }
}
