import { type LevelWithSilent } from 'pino';
import { type RetrievalFailure } from '../../protocol.js';
import { type Reads } from '../graph-servers.js';
import { type PartBefore, type PartKey, type SharedPart } from './shared-parts.js';

/** A thread counts up so often to show that it goes on, and the main thread looks as often. */
export const beatEveryMs = 250;

/** The settings of a thread that answers queries, as its `workerData`. */
export interface ThreadStart {
  /** Undefined if the process reads a replica and nothing else. */
  databaseUrl?: string | undefined;
  readUrl?: string | undefined;
  /** The most connections of the thread. */
  connections: number;
  memoryMb: number;
  answerMaxBytes: number;
  /** Directory for files with parts of graphs; null keeps no files. */
  snapshotDirectory: string | null;
  logLevel: LevelWithSilent;
  secrets: readonly string[];
  /** One number, which the thread counts up. */
  beat: Int32Array<SharedArrayBuffer>;
}

/** The version of a graph whose nodes and edges are in memory. */
export interface TopologyOf {
  graphId: number;
  version: number;
}

/** Answers of the main thread about shared parts. `asked` is the number of the question. */
export type PartsAnswer =
  /** The answer to a claim; null asks the thread to load the part, perhaps from that of the version before. */
  | { do: 'take'; asked: number; part: SharedPart | null; before: PartBefore<SharedPart> | null }
  /** A large load may begin. */
  | { do: 'turn'; asked: number };

/** Messages of a thread about shared parts. */
export type PartsMessage =
  | { did: 'claim'; asked: number; key: PartKey }
  /** The end of a load that a claim began; null if it failed. */
  | { did: 'load'; key: PartKey; part: SharedPart | null }
  /** A copy of the part is gone. */
  | { did: 'free'; id: string }
  | { did: 'hold'; graphId: number; version: number; bytes: number }
  /** The parts of a version that this thread has stay until it releases the version. */
  | { did: 'keep'; graphId: number; version: number }
  | { did: 'release'; graphId: number; version: number }
  | { did: 'ask turn'; asked: number; graphId: number }
  /** So much has the large load taken. */
  | { did: 'grow'; asked: number; bytes: number }
  | { did: 'end turn'; asked: number };

export type ToThread =
  /** `body` is the request as the protocol has it. */
  | { do: 'query'; id: number; body: string; limitBytes: number; requestId: string | undefined; topology: TopologyOf | null }
  /** The piece before has been sent. */
  | { do: 'more'; id: number }
  | { do: 'cancel'; id: number }
  | PartsAnswer
  /** The graph has a new version: load of it what was loaded of the one before. */
  | { do: 'warm'; graphId: number }
  /** The graph is about to have a new version: what is loaded of it goes on answering. The thread says when it is so. */
  | { do: 'hold'; id: number; graphId: number }
  /** Memory has too little room for a version beside its next one. */
  | { do: 'release'; graphId: number }
  | { do: 'drop'; graphId: number }
  /** The graph has this version, so older ones are of use only where they are kept. */
  | { do: 'outdated'; graphId: number; version: number }
  /** Collect garbage: large parts were dropped. */
  | { do: 'collect' }
  | { do: 'ping'; id: number }
  | { do: 'close' };

export type FromThread =
  | { did: 'start' }
  /** A part of an answer. The next follows when the main thread asks for more. */
  | { did: 'piece'; id: number; bytes: Uint8Array<ArrayBuffer> }
  /** The last part of an answer. */
  | { did: 'end'; id: number; bytes: Uint8Array<ArrayBuffer> }
  | { did: 'fail'; id: number; failure: RetrievalFailure }
  | PartsMessage
  | { did: 'held'; id: number }
  | { did: 'pong'; id: number; reads: Reads }
  | { did: 'close' };
