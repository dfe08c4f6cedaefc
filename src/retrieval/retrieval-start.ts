import { type Settings } from '../config/settings.js';
import { type TlsMaterial } from './tls-material.js';

/** The settings that a retrieval process needs to start. The API sends them as the only message to a process that it starts itself. */
export interface RetrievalStart {
  /** Undefined if the process reads a replica and nothing else. */
  databaseUrl?: string | undefined;
  /** A streaming replica, which is read unless it is older than the version that the API has seen. */
  readUrl?: string | undefined;
  /** A socket path or `host:port`. */
  listen: string;
  /** Calls must be signed with it. */
  key?: string | undefined;
  /** With a certificate and its key the process speaks TLS. With an authority, callers must have a certificate that it signed. */
  tls?: TlsMaterial;
  memoryMb: number;
  /** The largest answer, as read from PostgreSQL and as sent. */
  answerMaxBytes: number;
  /** Threads that run queries; undefined for one a core, at least two. */
  threads?: number | undefined;
  /** Directory for files with parts of graphs; null keeps no files. */
  snapshotDirectory: string | null;
  logLevel: Settings['logLevel'];
  /** The time for queries under way to end when the process stops. Zero when the API stops its own process. */
  shutdownSeconds: number;
  /** Values that its log must not show. */
  secrets: readonly string[];
}
