import { type Settings } from '../config/settings.js';

/** The settings that a retrieval process needs to start. The API sends them as the only message to a process that it starts itself. */
export interface RetrievalStart {
  databaseUrl: string;
  /** A socket path or `host:port`. */
  listen: string;
  memoryMb: number;
  /** The largest answer, as read from PostgreSQL and as sent. */
  answerMaxBytes: number;
  /** Where parts of graphs are kept as files; null for nowhere. */
  snapshotDirectory: string | null;
  logLevel: Settings['logLevel'];
  /** The time for queries under way to end when the process stops. Zero when the API stops its own process. */
  shutdownSeconds: number;
  /** Values that its log must not show. */
  secrets: readonly string[];
}
