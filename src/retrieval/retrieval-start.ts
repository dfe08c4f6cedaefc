import { type Settings } from '../config/settings.js';

/** What a retrieval process needs to start; the first and only message from the API to one that it starts itself. */
export interface RetrievalStart {
  databaseUrl: string;
  /** A socket path or `host:port`. */
  listen: string;
  memoryMb: number;
  /** Largest answer, as read from PostgreSQL and as sent. */
  answerMaxBytes: number;
  logLevel: Settings['logLevel'];
  /** How long queries under way may take to end when the process is stopped; none are where the API stops its own. */
  shutdownSeconds: number;
  /** What its log must not show. */
  secrets: readonly string[];
}
