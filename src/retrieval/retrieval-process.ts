import { type RequestOptions } from 'node:https';

/** The options of `http.request` or `https.request` that lead to a process. */
export type ProcessAddress = Pick<RequestOptions, 'protocol' | 'socketPath' | 'host' | 'port' | 'ca' | 'cert' | 'key' | 'servername'>;

/** A retrieval process as the API sees it, wherever it runs. */
export interface RetrievalProcess {
  /** For the log and the metrics: `own`, or `host:port`. */
  readonly name: string;
  /** Changes with every new process. */
  readonly generation: number;
  /** Tells whether there is a process that should answer. */
  readonly isListening: boolean;
  /** Tells whether this service starts it again when it ends. */
  readonly isOwn: boolean;
  /**
   * @param restart also waits while the process is down
   * @param evenIfHanging for a caller that checks whether the process still hangs
   * @throws RetrievalUnavailableError
   */
  address(options?: { patienceMs?: number; restart?: boolean; evenIfHanging?: boolean }): Promise<ProcessAddress>;
  /** Calls `listener` whenever the process ends without being told to, or hangs. */
  onEnd(listener: () => void): void;
  /** Tells that a connection broke during a query. Resolves once it is known whether the process has ended, after `patienceMs` at most. */
  connectionBroke(patienceMs: number): Promise<void>;
  markHanging(): void;
  markAnswering(): void;
}
