import { type Settings } from '../config/settings.js';
import { type TlsMaterial } from './tls-material.js';

/** The settings that a retrieval process needs to start. The API sends them as the only message to a process that it starts itself. */
export interface RetrievalStart {
  /** Undefined if the process reads only a replica. */
  databaseUrl?: string | undefined;
  /** URL of a streaming replica. It is read unless it lags behind the version that the API has seen. */
  readUrl?: string | undefined;
  /** The address to listen on: a socket path or `host:port`. */
  listen: string;
  /** The key with which calls must be signed; undefined if calls need no signature. */
  key?: string | undefined;
  /**
   * With a certificate and its key the process speaks TLS. With an authority, callers must have a certificate that the authority has
   * signed.
   */
  tls?: TlsMaterial;
  memoryMb: number;
  /** The most bytes of an answer, both as read from PostgreSQL and as sent. */
  answerMaxBytes: number;
  /** The number of threads that run queries; undefined for one thread per core, at least two. */
  threads?: number | undefined;
  /** Directory for files with parts of graphs; null if no files are kept. */
  snapshotDirectory: string | null;
  logLevel: Settings['logLevel'];
  /** Seconds that queries under way have to end when the process stops. Zero if the API stops a process of its own. */
  shutdownSeconds: number;
  /** Values that the process's log must not show. */
  secrets: readonly string[];
}
