import { FairShare } from '../../common/turns/fair-share.js';
import { bytesOf } from '../../graph-index/shared-arrays.js';
import { GraphExceedsMemoryError, RetrievalBusyError } from '../retrieval.errors.js';
import { type EarlierVersion } from './load/bring-forward.js';
import { largeRoom, LoadOutgrownError, type LoadRoom, smallRoom } from './load/load-room.js';
import { type SnapshotFiles } from './load/snapshot-files.js';
import { type GraphElements } from './graph-elements.js';
import { PartSizes } from './part-sizes.js';
import { type GraphReader, type RetrievalDatabase, VersionMovedError } from './retrieval-database.js';
import { type PartBefore, type PartKey, searchPart, type SharedParts } from './threads/shared-parts.js';

const loadTimeoutMs = 600_000;
/** The most bytes that one statement of a load may return. It takes the place of the limit on answers, which is meant for queries. */
const mostBytesPerFetch = 64 * 1024 * 1024;
const leastBytesPerNode = 28;
/** A load is small if it takes less than this share of the memory for graphs. */
const smallShare = 1 / 32;

/** One version of one graph. */
export interface GraphVersion {
  graphId: number;
  version: number;
  schema: GraphElements;
}

/** How a part is made. */
interface Making<T> {
  /** Makes the part from the rows of the graph's tables. */
  read: (reader: GraphReader, room: LoadRoom) => Promise<T>;
  /** Makes the part from the same part of an earlier version. Null if it is not known what has changed since that version. */
  bringForward?: (reader: GraphReader, earlier: EarlierVersion) => Promise<T | null>;
}

/**
 * Loads the parts of graphs into memory, from files where these exist. Small loads count towards the share of a caller, and no load may
 * exceed the memory for graphs.
 */
export class PartLoads {
  /**
   * The versions of which a part does not fit into memory, by graph and part. Without them each query would load the part again to fail.
   */
  private readonly refused = new Map<string, { version: number; error: GraphExceedsMemoryError }>();
  /**
   * The queue of small loads, and of indexes that are made from loaded parts. They do not wait for large loads: one of a graph of a million
   * nodes takes half a minute.
   */
  private readonly small = new FairShare({
    // A caller who is alone gets half of the places.
    places: 6,
    // The line of one caller may have any length, because other callers wait in lines of their own.
    waitingPerCaller: Infinity,
    patienceMs: loadTimeoutMs,
    refuse: retryAfterS => new RetrievalBusyError(retryAfterS),
  });
  /** The last user who queried each graph, by the id of the graph. */
  private readonly callers = new Map<number, string>();
  private readonly sizes = new PartSizes();
  private readonly smallBytes: number;

  constructor(
    private readonly database: RetrievalDatabase,
    private readonly budgetBytes: number,
    private readonly parts: SharedParts,
    private readonly files: SnapshotFiles | null,
    private readonly onFileFault: (error: unknown) => void,
  ) {
    this.smallBytes = smallShare * budgetBytes;
  }

  /** Notes the last user who queried a graph. Small loads of the graph count towards the share of this user. */
  askedBy(graphId: number, caller: string): void {
    this.callers.set(graphId, caller);
  }

  /** Gets a part of a version: from memory, else from a file, else made by the functions of `Making`. All callers share one load. */
  part<T extends object>(graph: GraphVersion, name: string, { read, bringForward }: Making<T>): Promise<T> {
    const key = { graphId: graph.graphId, version: graph.version, name };
    return this.sized(key, async before => {
      const earlier = before as EarlierVersion | null;
      const make = async (reader: GraphReader, room: LoadRoom): Promise<T> => {
        if (earlier && bringForward) {
          room.took(bytesOf(earlier.part));
          const brought = await bringForward(reader, earlier);
          if (brought) {
            room.took(bytesOf(brought));
            return brought;
          }
        }
        return read(reader, room);
      };
      return this.load(graph, name, async room => {
        const { files } = this;
        const stamp = files && (await this.reading(graph, readStamp));
        const kept = files && ((await files.read(key, stamp!, room)) as T | null);
        if (kept) return kept;
        const made = await this.reading(graph, reader => make(reader, room));
        // Only a later process needs the file, so nobody waits until it is written.
        files?.write(key, stamp!, made).catch(this.onFileFault);
        return made;
      });
    });
  }

  /** Gets a part that is quickly made from other parts. */
  derive<T extends object>(key: PartKey, make: () => Promise<T>): Promise<T> {
    return this.sized(key, () => this.asSmall(key.graphId, make));
  }

  /** Notes the size of memory that is measured as if it were a part. */
  note(key: PartKey, bytes: number): void {
    this.sizes.note(key, bytes);
  }

  /** The bytes of these parts of a graph, as far as they were measured. */
  bytesOf(graph: GraphVersion, names: string[]): number {
    return this.sizes.sum(graph, names);
  }

  /** Gets a part, and notes its size. */
  private async sized<T extends object>(key: PartKey, load: (before: PartBefore | null) => Promise<T>): Promise<T> {
    const part = await this.parts.get(key, load);
    this.sizes.note(key, bytesOf(part));
    return part;
  }

  private async load<T>(graph: GraphVersion, part: string, load: (room: LoadRoom) => Promise<T>): Promise<T> {
    const key = `${graph.graphId}:${part}`;
    const refused = this.refused.get(key);
    if (refused?.version === graph.version) throw refused.error;
    const exceeded = new GraphExceedsMemoryError(graph.graphId, this.budgetBytes, part === searchPart ? 'search' : 'cypher');
    try {
      const leastBytes = leastBytesPerNode * graph.schema.labels.reduce((sum, label) => sum + label.rowCount, 0);
      // A graph that certainly does not fit is not loaded at all.
      if (leastBytes > this.budgetBytes) throw exceeded;
      const loaded = await this.inRoom(graph, Math.max(leastBytes, this.sizes.sum(graph, [part])), exceeded, load);
      this.refused.delete(key);
      return loaded;
    } catch (error) {
      if (error instanceof GraphExceedsMemoryError) this.refused.set(key, { version: graph.version, error });
      throw error;
    }
  }

  /** Reads the graph in exactly this version. @throws VersionMovedError if the graph has another version */
  private reading<T>(graph: GraphVersion, read: (reader: GraphReader) => Promise<T>): Promise<T> {
    return this.database.atLeast(graph.version).readGraph(
      graph.graphId,
      loadTimeoutMs,
      new AbortController().signal,
      reader => {
        if (reader.version !== graph.version) throw new VersionMovedError();
        return read(reader);
      },
      mostBytesPerFetch,
    );
  }

  private asSmall<T>(graphId: number, load: () => Promise<T>): Promise<T> {
    return this.small.run({ caller: this.callers.get(graphId) ?? `graph ${graphId}` }, load);
  }

  /**
   * Runs a load as a small one, and begins it again as a large one if it outgrows `smallBytes`: its size is not known before. A load that
   * was larger the last time begins as a large one.
   */
  private async inRoom<T>(
    { graphId }: GraphVersion,
    leastBytes: number,
    exceeded: GraphExceedsMemoryError,
    load: (room: LoadRoom) => Promise<T>,
  ): Promise<T> {
    if (leastBytes <= this.smallBytes) {
      try {
        return await this.asSmall(graphId, () => load(smallRoom(this.smallBytes)));
      } catch (error) {
        if (!(error instanceof LoadOutgrownError)) throw error;
      }
    }
    const turn = await this.parts.loadLarge(graphId);
    try {
      return await load(largeRoom(exceeded, this.budgetBytes, bytes => turn.took(bytes)));
    } finally {
      turn.end();
    }
  }
}

/**
 * Reads the time at which the version was made. It distinguishes two contents with the same version number: a restored backup counts on
 * from an earlier version.
 */
export async function readStamp(reader: GraphReader): Promise<string> {
  const [row] = await reader.query<{ stamp: string }>('SELECT version_at::text AS stamp FROM graphs WHERE id = $1', [reader.graphId]);
  return row!.stamp;
}
