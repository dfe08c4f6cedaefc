import pg, { type PoolClient } from 'pg';
import { DatabaseBusyError, DatabaseUnavailableError } from '../common/errors/common-errors.js';
import { isBusy, sever } from './sever-connection.js';

/** The state of the server, which a pool checks before it lets a caller wait. */
export interface ServerState {
  readonly isUp: boolean;
}

export type ConnectCallback = (error: Error | undefined, client: PoolClient | undefined, done: (release?: unknown) => void) => void;

/** Fields of pg-pool that its typings leave out. */
interface PoolInternals {
  _clients: pg.Client[];
  _pendingQueue: { callback: ConnectCallback }[];
}

/** A pool that refuses at once while the server is known to be away, and drops every connection when the server is lost. */
export class WatchedPool extends pg.Pool {
  constructor(
    config: pg.PoolConfig,
    private readonly server: ServerState,
  ) {
    super(config);
    // The pool replaces a connection that dies while it is idle; without this listener the error would end the process. A connection that
    // is checked out has no listener of the pool at all (node-postgres#3083).
    this.on('error', () => undefined);
    this.on('connect', client => client.on('error', () => undefined));
    // A statement that pg gave up on (`query_timeout`) may still run, and the next user of the connection would wait for it.
    this.on('release', (_error, client) => {
      if (isBusy(client)) void client.end();
    });
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<PoolClient> | void {
    if (this.server.isUp) {
      if (!callback) return super.connect().catch((error: unknown) => Promise.reject(this.explain(error) as Error));
      return super.connect((error, client, done) => callback(error && (this.explain(error) as Error), client, done));
    }
    const error = new DatabaseUnavailableError(undefined);
    if (!callback) return Promise.reject(error);
    process.nextTick(() => callback(error, undefined, () => undefined));
  }

  /** Turns the time-out of a wait for a connection into a "busy" error if the server answers: other callers then use all connections. */
  private explain(error: unknown): unknown {
    const isWait = (error as Error).message === 'timeout exceeded when trying to connect';
    return isWait && this.server.isUp && this.usage.busy >= this.options.max ? new DatabaseBusyError() : error;
  }

  /** Cuts all connections, including those that are being made. Everything that waits on a connection, or for one, fails at once. */
  abandon(): void {
    const { _pendingQueue: waiting, _clients: clients } = this as unknown as PoolInternals;
    for (const { callback } of waiting.splice(0)) callback(new DatabaseUnavailableError(undefined), undefined, () => undefined);
    for (const client of [...clients]) sever(client);
  }

  /** The numbers of idle and busy connections, and of callers that wait for a connection. */
  get usage(): { idle: number; busy: number; waiting: number } {
    return { idle: this.idleCount, busy: this.totalCount - this.idleCount, waiting: this.waitingCount };
  }
}
