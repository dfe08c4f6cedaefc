import { type RequestOptions } from 'node:https';

/** The options for `http.request` or `https.request` that connect to a process. */
export type ProcessAddress = Pick<RequestOptions, 'protocol' | 'socketPath' | 'host' | 'port' | 'ca' | 'cert' | 'key' | 'servername'>;

/** A retrieval process as the API sees it, wherever it runs. */
export interface RetrievalProcess {
  /** The process's name in the log and in the metrics: `own`, or `host:port`. */
  readonly name: string;
  /** A number that changes with every new process. */
  readonly generation: number;
  /** Whether the process runs and should answer. */
  readonly isListening: boolean;
  /** Whether the process, or a start of it, has ended. Until then a process that does not listen yet is on its first start. */
  readonly hasEnded: boolean;
  /** Whether this service starts the process again when it ends. */
  readonly isOwn: boolean;
  /**
   * How to connect to the process.
   * @param restart whether to wait also for a process that is down, until it is started again
   * @param evenIfHanging whether to return the address of a hanging process too, for a check whether it still hangs
   * @throws RetrievalUnavailableError
   */
  address(options?: { patienceMs?: number; restart?: boolean; evenIfHanging?: boolean }): Promise<ProcessAddress>;
  /** Calls `listener` whenever the process ends without being told to, or hangs. */
  onEnd(listener: () => void): void;
  /**
   * Handles a connection that broke during a query. Resolves once it is known whether the process has ended, after `patienceMs` at most.
   */
  connectionBroke(patienceMs: number): Promise<void>;
  markHanging(): void;
  markAnswering(): void;
}
