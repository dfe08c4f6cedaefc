import pg, { type PoolClient } from 'pg';
import { DatabaseBusyError, DatabaseUnavailableError } from '../common/errors/common-errors.js';
import { isBusy, sever } from './sever-connection.js';

/** What a pool asks before it lets anyone wait. */
export interface ServerState {
  readonly isUp: boolean;
}

type ConnectCallback = (error: Error | undefined, client: PoolClient | undefined, done: (release?: unknown) => void) => void;

/** What pg-pool's typings leave out. */
interface PoolInternals {
  _clients: pg.Client[];
  _pendingQueue: { callback: ConnectCallback }[];
}

/** A pool that refuses at once while the server is known to be away, and that lets go of every connection when it is lost. */
export class WatchedPool extends pg.Pool {
  constructor(
    config: pg.PoolConfig,
    private readonly server: ServerState,
  ) {
    super(config);
    // A connection that dies while idle is replaced by the pool; without a listener it would end the process. One that is
    // checked out has no listener of the pool at all (node-postgres#3083).
    this.on('error', () => undefined);
    this.on('connect', client => client.on('error', () => undefined));
    // A statement that pg gave up on (`query_timeout`) may still run: whoever came next on this connection would wait for it.
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

  /** A wait for one of the connections that has been too long while the server answers: others use them all. */
  private explain(error: unknown): unknown {
    const isWait = (error as Error).message === 'timeout exceeded when trying to connect';
    return isWait && this.server.isUp && this.usage.busy >= this.options.max ? new DatabaseBusyError() : error;
  }

  /** Cuts all connections, also those being made: what waits on one, or for one, fails now. */
  abandon(): void {
    const { _pendingQueue: waiting, _clients: clients } = this as unknown as PoolInternals;
    for (const { callback } of waiting.splice(0)) callback(new DatabaseUnavailableError(undefined), undefined, () => undefined);
    for (const client of [...clients]) sever(client);
  }

  /** How the pool is used right now. */
  get usage(): { idle: number; busy: number; waiting: number } {
    return { idle: this.idleCount, busy: this.totalCount - this.idleCount, waiting: this.waitingCount };
  }
}
