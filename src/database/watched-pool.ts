import pg, { type PoolClient } from 'pg';
import { DatabaseBusyError, DatabaseUnavailableError } from '../common/errors/common-errors.js';
import { arrayLiteral } from './array-literal.js';
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

type ValueMapper = (value: unknown) => unknown;
interface WireConnection {
  bind(config: { valueMapper: ValueMapper }): void;
}

/**
 * The total time of use, in ms, after which a connection is replaced. A session keeps memory that statements leave in it, and PostgreSQL
 * frees none of it at the end of a transaction: each time zone that a text names when it is cast to a timestamp takes 24 kB, and two
 * seconds of such casts take 0.2 to 0.7 GB. Making a connection takes about 15 ms.
 */
const longestUseMs = 2_000;

/**
 * A pool that refuses at once while the server is known to be away, drops every connection when the server is lost, and replaces
 * connections that were used for long.
 */
export class WatchedPool extends pg.Pool {
  /** For each connection: its total time of use before the current use, and the start of the current use, in ms. */
  private readonly uses = new WeakMap<PoolClient, { usedMs: number; since: number }>();

  constructor(
    config: pg.PoolConfig,
    private readonly server: ServerState,
  ) {
    super(config);
    // The pool replaces a connection that dies while it is idle; without this listener the error would end the process. A connection that
    // is checked out has no listener of the pool at all (node-postgres#3083).
    this.on('error', () => undefined);
    this.on('connect', client => {
      client.on('error', () => undefined);
      writeTextsQuickly(client);
    });
    // A statement that pg gave up on (`query_timeout`) may still run, and the next user of the connection would wait for it. So such a
    // connection is closed.
    this.on('release', (_error, client) => {
      if (isBusy(client) || this.isWornOut(client)) void client.end();
    });
    this.on('acquire', client => {
      this.uses.set(client, { usedMs: this.uses.get(client)?.usedMs ?? 0, since: performance.now() });
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

  private isWornOut(client: PoolClient): boolean {
    const use = this.uses.get(client);
    if (use) use.usedMs += performance.now() - use.since;
    return use !== undefined && use.usedMs > longestUseMs;
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

/**
 * Writes parameters that are lists of texts with `arrayLiteral`. node-postgres itself would take 0.7 s for a list with a million quotes.
 */
function writeTextsQuickly(client: PoolClient): void {
  const { connection: wire } = client as unknown as { connection: WireConnection };
  const bind = wire.bind.bind(wire);
  wire.bind = config => bind({ ...config, valueMapper: value => config.valueMapper(isListOfTexts(value) ? arrayLiteral(value) : value) });
}

function isListOfTexts(value: unknown): value is (string | null)[] {
  return Array.isArray(value) && value.every(item => item === null || typeof item === 'string');
}
