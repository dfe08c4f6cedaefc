import { type LevelWithSilent } from 'pino';
import { type RetrievalFailure } from '../../protocol.js';
import { type Reads } from '../graph-servers.js';
import { type PartBefore, type PartKey, type SharedPart } from './shared-parts.js';

/**
 * The interval, in milliseconds, at which a thread increments its beat to show that it does not hang. The main thread reads the beat at the
 * same interval.
 */
export const beatEveryMs = 250;

/** The settings of a thread that answers queries, as its `workerData`. */
export interface ThreadStart {
  /** Undefined if the process reads only a replica. */
  databaseUrl?: string | undefined;
  readUrl?: string | undefined;
  /** The most database connections of the thread. */
  connections: number;
  memoryMb: number;
  answerMaxBytes: number;
  /** Directory for files with parts of graphs; null if no files are kept. */
  snapshotDirectory: string | null;
  logLevel: LevelWithSilent;
  secrets: readonly string[];
  /** An array of one number, which the thread increments at each beat. */
  beat: Int32Array<SharedArrayBuffer>;
}

/** The version of a graph whose nodes and edges the main thread knows to be in memory. */
export interface TopologyOf {
  graphId: number;
  version: number;
}

/** Answers of the main thread about shared parts. `asked` is the number of the thread's message that asked. */
export type PartsAnswer =
  /** The answer to a claim. If `part` is null, the thread loads the part, perhaps from `before`, the same part of the version before. */
  | { do: 'take'; asked: number; part: SharedPart | null; before: PartBefore<SharedPart> | null }
  /** The thread may begin its large load. */
  | { do: 'turn'; asked: number };

/** Messages of a thread about shared parts. */
export type PartsMessage =
  | { did: 'claim'; asked: number; key: PartKey }
  /** A load that a claim began has ended; `part` is null if the load failed. */
  | { did: 'load'; key: PartKey; part: SharedPart | null }
  /** The thread's copy of the part is gone. */
  | { did: 'free'; id: string }
  | { did: 'hold'; graphId: number; version: number; bytes: number }
  /** Asks the main thread to keep the parts of a version that this thread has, until this thread releases the version. */
  | { did: 'keep'; graphId: number; version: number }
  | { did: 'release'; graphId: number; version: number }
  | { did: 'ask turn'; asked: number; graphId: number }
  /** The large load has taken this many bytes so far. */
  | { did: 'grow'; asked: number; bytes: number }
  | { did: 'end turn'; asked: number };

export type ToThread =
  /** Answer a query. `body` is the JSON of the request, as the protocol sent it. */
  | { do: 'query'; id: number; body: string; limitBytes: number; requestId: string | undefined; topology: TopologyOf | null }
  /** Send the next piece: the piece before has been sent to the caller. */
  | { do: 'more'; id: number }
  | { do: 'cancel'; id: number }
  | PartsAnswer
  /** The graph has a new version: load the parts that are loaded in the version before. */
  | { do: 'warm'; graphId: number }
  /**
   * The graph is about to have a new version: keep the loaded version, so that it answers while the next one loads. The thread replies with
   * `held`, also if it cannot keep it.
   */
  | { do: 'hold'; id: number; graphId: number }
  /** Release the held version: memory has no room for it beside the next version. */
  | { do: 'release'; graphId: number }
  | { do: 'drop'; graphId: number }
  /** The graph has this version: forget the parts of older versions, except those that are kept. */
  | { do: 'outdated'; graphId: number; version: number }
  /** Collect garbage: large parts were dropped. */
  | { do: 'collect' }
  | { do: 'ping'; id: number }
  | { do: 'close' };

export type FromThread =
  | { did: 'start' }
  /** A piece of an answer. The thread sends the next piece when the main thread asks for more. */
  | { did: 'piece'; id: number; bytes: Uint8Array<ArrayBuffer> }
  /** The last piece of an answer. */
  | { did: 'end'; id: number; bytes: Uint8Array<ArrayBuffer> }
  | { did: 'fail'; id: number; failure: RetrievalFailure }
  | PartsMessage
  | { did: 'held'; id: number }
  | { did: 'pong'; id: number; reads: Reads }
  | { did: 'close' };
