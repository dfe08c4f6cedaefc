import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { type PoolClient } from 'pg';
import { type Logger } from 'pino';
import { DatabaseBusyError, DatabaseUnavailableError } from '../../common/errors/common-errors.js';
import { toApiError } from '../../common/errors/to-api-error.js';
import { DatabaseLink } from '../../database/database-link.js';
import { type WatchedPool } from '../../database/watched-pool.js';
import { sqlstateOf, sqlstates } from '../../sql/sqlstate.js';
import { ReplicaBehindError } from '../retrieval.errors.js';

/** URLs of the servers that graphs are read from. At least one of the two is given. */
export interface GraphServerUrls {
  databaseUrl?: string | undefined;
  /** URL of a streaming replica of the database. */
  readUrl?: string | undefined;
}

/** How often each server was read. */
export interface Reads {
  primary: number;
  replica: number;
}

/** A read of one graph, with the least version that may be read and the deadline. */
export interface GraphRead {
  graphId: number;
  leastVersion: number;
  signal: AbortSignal;
  /** Deadline in milliseconds of performance.now(). */
  untilMs: number;
}

/** The longest wait for the replica to receive a version. A replica is usually some milliseconds behind. */
const catchUpMs = 1_000;
const lookEveryMs = 20;
/** Milliseconds for which the database is read at once, without waiting for the replica, after the replica has not caught up in time. */
const lagsForMs = 5_000;

/**
 * The servers that graphs are read from. The replica is tried first. The database itself is read if the replica does not receive the
 * version in time, cannot be reached, or cancels a statement that conflicts with its recovery.
 */
export class GraphServers {
  readonly reads: Reads = { primary: 0, replica: 0 };
  private readonly links: DatabaseLink[] = [];
  private readonly primary: WatchedPool | null;
  private readonly replica: WatchedPool | null;
  private readonly poolOf = new WeakMap<PoolClient, WatchedPool>();
  private lagsUntilMs = 0;

  constructor({ databaseUrl, readUrl }: GraphServerUrls, config: pg.PoolConfig, log: Logger) {
    const open = (url: string | undefined): WatchedPool | null => {
      if (url === undefined) return null;
      const link = new DatabaseLink({ url, log });
      this.links.push(link);
      return link.open('retrieval', config);
    };
    this.primary = open(databaseUrl);
    this.replica = open(readUrl);
  }

  /**
   * Reads from the replica or from the database. `read` may be called up to three times. It must throw ReplicaBehindError if the graph on
   * its server is older than `what.leastVersion`.
   * @throws ReplicaBehindError and DatabaseBusyError, both 503, if only a replica is given and it cannot serve; what `read` throws
   */
  async read<T>(what: GraphRead, read: (pool: WatchedPool) => Promise<T>): Promise<T> {
    if (this.replica === null) return this.readPrimary(read);
    for (let attempt = 1; ; attempt++) {
      try {
        const value = await read(this.replica);
        this.reads.replica++;
        return value;
      } catch (error) {
        what.signal.throwIfAborted();
        const isBehind = error instanceof ReplicaBehindError;
        if (!isBehind && !isAway(error) && !isConflict(error)) throw error;
        const isWorthAgain = attempt === 1 && (isBehind ? await this.catchesUp(this.replica, what) : this.primary === null);
        if (isWorthAgain) continue;
        if (this.primary) return this.readPrimary(read);
        throw isConflict(error) ? new DatabaseBusyError() : error;
      }
    }
  }

  isReplica(pool: WatchedPool): boolean {
    return pool === this.replica;
  }

  async connect(pool: WatchedPool): Promise<PoolClient> {
    const client = await pool.connect();
    this.poolOf.set(client, pool);
    return client;
  }

  /** Cancels the statement of a connection, on the server that the connection leads to. */
  async cancel(client: PoolClient): Promise<void> {
    const { processID } = client as unknown as { processID: number | null };
    if (processID !== null)
      await this.poolOf
        .get(client)
        ?.query('SELECT pg_cancel_backend($1)', [processID])
        .catch(() => undefined);
  }

  async close(): Promise<void> {
    for (const link of this.links) link.onApplicationShutdown();
    await Promise.all([this.primary?.end(), this.replica?.end()]);
  }

  private async readPrimary<T>(read: (pool: WatchedPool) => Promise<T>): Promise<T> {
    const value = await read(this.primary!);
    this.reads.primary++;
    return value;
  }

  /** Waits at most `catchUpMs` until the replica has the version. Returns false if it does not receive the version in time. */
  private async catchesUp(replica: WatchedPool, { graphId, leastVersion, signal, untilMs }: GraphRead): Promise<boolean> {
    if (this.primary && performance.now() < this.lagsUntilMs) return false;
    const enoughMs = Math.min(untilMs, performance.now() + catchUpMs);
    try {
      while (performance.now() < enoughMs) {
        await sleep(lookEveryMs, undefined, { signal });
        const { rows } = await replica.query<{ version: number }>('SELECT version FROM graphs WHERE id = $1', [graphId]);
        if (rows[0] && rows[0].version >= leastVersion) return true;
      }
    } catch {
      signal.throwIfAborted();
      return false;
    }
    this.lagsUntilMs = performance.now() + lagsForMs;
    return false;
  }
}

function isAway(error: unknown): boolean {
  return toApiError(error) instanceof DatabaseUnavailableError;
}

/**
 * Whether an error is a conflict with the replica's recovery. When recovery removes rows, PostgreSQL cancels statements that read them, and
 * ends idle sessions whose snapshot needs them.
 */
function isConflict(error: unknown): boolean {
  const sqlstate = sqlstateOf(error);
  return sqlstate === sqlstates.serializationFailure || sqlstate === sqlstates.deadlockDetected;
}
