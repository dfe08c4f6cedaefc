import pg, { type PoolClient } from 'pg';
import { ApiError } from '../../../common/errors/api-error.js';
import { withinBytes } from '../../../database/byte-budget.js';
import { type DiskReserve } from '../../../database/disk-reserve.js';
import { type WatchedPool } from '../../../database/watched-pool.js';
import { type Claim, type FairShare } from '../../../common/turns/fair-share.js';
import { lookingUpFor } from '../../../egress/lookups.js';
import { inLockOrder, quoteIdentifier, quoteTable } from '../../../sql/quote-identifier.js';
import { type SqlStatement } from '../../../sql/sql-parameters.js';
import { sqlstateOf, sqlstates } from '../../../sql/sqlstate.js';
import { type Places, shareAmongCallers } from '../connection-places.js';
import { type QueryRequest, type QueryResult, type Reading, type ReadingRequest, type TablePlace } from '../warehouse.client.js';
import { cancelStatement } from './cancel-statement.js';
import { CappedQuery } from './capped-query.js';
import { cursorRows } from './cursor-rows.js';
import { frame, graceMs, rollBack, withWatch } from './frame.js';
import { PostgresReading } from './postgres-reading.js';
import { toReadError } from './read-errors.js';
import { WarehouseTimeoutError } from '../../warehouse.errors.js';
import { type TableNames } from './table-names.js';
import { untilGone } from './until-gone.js';

const lockTimeoutMs = 5_000;
/**
 * SQLSTATEs of a LOCK TABLE that cannot succeed: a materialised view and a foreign table cannot be locked, nor can a table of which the
 * user may read only some columns.
 */
const unlockable: ReadonlySet<string> = new Set([sqlstates.wrongObjectType, sqlstates.insufficientPrivilege]);
/** The transaction may be idle for long: the consumer of a reading processes the rows of one table before it requests the next table. */
const longPauses = `SET LOCAL idle_in_transaction_session_timeout = '1h'`;
/** By default PostgreSQL plans a cursor so that its first rows come fast. Here all rows of the cursor are read. */
const forAllRows = `SET LOCAL cursor_tuple_fraction = 1`;
/** The number of a row is its place in the table, so each scan must begin at the first page of the table. */
const inOrder = `SET LOCAL synchronize_seqscans = off`;
const snapshotMode = 'ISOLATION LEVEL REPEATABLE READ, READ ONLY';

export interface SnapshotRequest extends Pick<QueryRequest, 'claim' | 'timeoutMs' | 'maxBytes' | 'source'> {
  /** The tables that the snapshot's statements read, in schemas of the client. */
  tables: TablePlace[];
  /** The time zone for times without a zone and for parts of times, such as the hour. UTC by default. */
  timeZone?: string;
}

/**
 * Runs one statement of a snapshot. A `timeoutMs` below that of the snapshot applies to this statement and to those after it.
 * @throws as `WarehouseClient.query`
 */
export type SnapshotQuery = (
  statement: Pick<QueryRequest, 'sql' | 'parameters' | 'maxRows'> & Partial<Pick<QueryRequest, 'timeoutMs'>>,
) => Promise<QueryResult>;

export interface ExportRequest extends SnapshotRequest {
  /** The longest time of the whole export in ms, including the time in which the consumer processes the rows. */
  wholeMs: number;
}

/** Reads all rows of a statement, batch by batch. This statement must be the last of its snapshot. @throws as `WarehouseClient.query` */
export type SnapshotRows = (statement: SqlStatement) => AsyncGenerator<QueryResult>;

export interface PostgresReadsOptions {
  pool: WatchedPool;
  names: TableNames;
  places: Places;
  /** The most bytes of a result, if the request sets no other limit. */
  maxBytes: number;
  /** Upper bound in ms for the time limit of any statement, whatever a request allows. */
  maxTimeoutMs?: number;
  /**
   * Whether the server computes all rows of an export before the first is read, so that a slow consumer does not delay the replacement of a
   * table. It is false for foreign servers: a connection pooler in front of them may give the next transaction to another session.
   */
  computesExports?: boolean;
  /** Guards the free space of the disk on which an export may sort. It is set if the server shares the disk with the service. */
  disk?: Pick<DiskReserve, 'require' | 'explain'>;
  /** Turns a failure to connect into an ApiError. */
  toConnectError: (cause: unknown) => ApiError;
}

/**
 * Reads from a PostgreSQL server in read-only transactions. Each is rolled back at the end; only `letGo` commits, which keeps the cursor of
 * an export. Statements of users go through the extended protocol, which allows only one statement in a text.
 */
export class PostgresReads {
  private readonly shares: ReturnType<typeof shareAmongCallers>;
  /** For each claim whose connection was cut: resolves when the server has ended the statement. */
  private readonly cuts = new WeakMap<Claim, Promise<void>>();

  constructor(private readonly options: PostgresReadsOptions) {
    this.shares = shareAmongCallers(options.places);
  }

  query(request: QueryRequest): Promise<QueryResult> {
    return this.inPlace(request.isShort ? this.shares.shortQueries : this.shares.queries, request.claim, () => this.queryNow(request));
  }

  /** Runs statements that all see the tables' rows and columns at one moment. The signal of the claim cancels the statement that runs. */
  snapshot<T>(request: SnapshotRequest, work: (query: SnapshotQuery) => Promise<T>): Promise<T> {
    return this.inPlace(this.shares.queries, request.claim, () => this.snapshotNow(request, work));
  }

  /**
   * Runs a snapshot whose last statement may return any number of rows. An export uses a place for readings, so that metrics do not wait
   * for it.
   */
  async export<T>(request: ExportRequest, work: (query: SnapshotQuery, rows: SnapshotRows) => Promise<T>): Promise<T> {
    await this.options.disk?.require();
    return this.inPlace(this.shares.readings, request.claim, () => this.snapshotNow(request, work, request.wholeMs));
  }

  async openReading({ claim, timeoutMs, signal }: ReadingRequest): Promise<Reading> {
    const leave = await this.shares.readings.enter(signal ? { ...claim, signal } : claim);
    try {
      const client = await lookingUpFor(claim.caller, () => this.connect());
      const limit = this.limitOf(timeoutMs);
      try {
        await withWatch(client, limit, () => frame(client, `${begin(snapshotMode, this.options.names, limit)}; ${longPauses}; ${inOrder}`));
      } catch (cause) {
        client.release(true);
        throw toReadError(cause, limit);
      }
      const { pool, names, maxBytes } = this.options;
      const cancel = (): Promise<void> => lookingUpFor(claim.caller, () => cancelStatement(pool.options, client));
      const leaveOnceGone = (): void => void lookingUpFor(claim.caller, () => untilGone(pool, client)).then(leave);
      return new PostgresReading(client, names, { timeoutMs: limit, graceMs, maxBytes, signal, cancel, leave, leaveOnceGone });
    } catch (error) {
      leave();
      throw error;
    }
  }

  /**
   * Does the work in one of the places of `share`. If a connection was cut, the caller keeps the place until the server has ended the
   * statement. Otherwise abandoned statements would pile up on the server.
   */
  private inPlace<T>(share: FairShare, claim: Claim, work: () => Promise<T>): Promise<T> {
    return share.run(claim, work, () => this.cuts.get(claim));
  }

  private queryNow({ timeoutMs, maxBytes, source, claim, timeZone, ...statement }: QueryRequest): Promise<QueryResult> {
    return this.transaction({ timeoutMs, claim }, async (client, limit) => {
      await frame(client, begin('READ ONLY', this.options.names, limit, timeZone));
      return this.run(client, statement, { maxBytes, source });
    });
  }

  private snapshotNow<T>(
    { timeoutMs, tables, timeZone, claim, ...bounds }: SnapshotRequest,
    work: (query: SnapshotQuery, rows: SnapshotRows) => Promise<T>,
    wholeMs?: number,
  ): Promise<T> {
    return this.transaction({ timeoutMs, claim, wholeMs }, async (client, limit) => {
      const { names, computesExports } = this.options;
      const beginAs = (mode: string): string => `${begin(mode, names, limit, timeZone)}; ${longPauses}; ${forAllRows}`;
      const start = wholeMs === undefined ? begin(snapshotMode, names, limit, timeZone) : beginAs(snapshotMode);
      const all = inLockOrder(tables.map(({ schema, table }) => quoteTable(schema, table))).join(', ');
      // LOCK TABLE takes no snapshot: the snapshot begins with the first query after it. So a table that is replaced or altered before it
      // is locked is read in its new state.
      await frame(client, tables.length === 0 ? start : `${start}; LOCK TABLE ${all} IN ACCESS SHARE MODE`).catch(
        async (cause: unknown) => {
          if (!unlockable.has(sqlstateOf(cause))) throw cause;
          await frame(client, 'ROLLBACK');
          await frame(client, start);
        },
      );
      const query: SnapshotQuery = ({ timeoutMs: ownMs, ...statement }) => {
        claim.signal?.throwIfAborted();
        return withWatch(client, limit, async () => {
          if (ownMs !== undefined) await frame(client, `SET LOCAL statement_timeout = ${Math.min(limit, ownMs)}`);
          return this.run(client, statement, bounds);
        });
      };
      const letGo = (): Promise<void> =>
        withWatch(client, limit, async () => {
          await frame(client, 'COMMIT');
          await frame(client, beginAs('READ ONLY'));
        });
      return work(query, statement => cursorRows(query, statement, computesExports ? letGo : null));
    });
  }

  private async run(
    client: PoolClient,
    { sql, parameters, maxRows }: Parameters<SnapshotQuery>[0],
    { maxBytes = this.options.maxBytes, source = 'rows' }: Pick<QueryRequest, 'maxBytes' | 'source'>,
  ): Promise<QueryResult> {
    const { result, bytes } = await withinBytes(client, { limitBytes: maxBytes, source }, () =>
      CappedQuery.run(client, sql, parameters, maxRows),
    );
    return { ...result, bytes };
  }

  /** Runs `work` on one connection and rolls back its transaction. The connection is cut when the work takes longer than its limit. */
  private async transaction<T>(
    { timeoutMs, claim, wholeMs }: { timeoutMs: number; claim: Claim; wholeMs?: number | undefined },
    work: (client: PoolClient, limitMs: number) => Promise<T>,
  ): Promise<T> {
    const { caller, signal } = claim;
    const client = await this.connect();
    const limit = this.limitOf(timeoutMs);
    let cancelled: Promise<void> = Promise.resolve();
    const cancel = (): void => {
      cancelled = lookingUpFor(caller, () => cancelStatement(this.options.pool.options, client)).catch(() => undefined);
    };
    let isRead = false;
    signal?.addEventListener('abort', cancel);
    try {
      signal?.throwIfAborted();
      const result = await withWatch(client, wholeMs ?? limit, () => work(client, limit));
      isRead = true;
      return result;
    } catch (error) {
      if (error instanceof WarehouseTimeoutError)
        this.cuts.set(
          claim,
          lookingUpFor(caller, () => untilGone(this.options.pool, client)),
        );
      signal?.throwIfAborted();
      const cause = this.options.disk?.explain(error) ?? error;
      throw cause instanceof ApiError ? cause : toReadError(cause, limit);
    } finally {
      signal?.removeEventListener('abort', cancel);
      // The rollback waits for a cancellation that is under way, which would otherwise hit the next statement of the connection.
      const ended = cancelled.then(() => rollBack(client, wholeMs === undefined ? 'ROLLBACK' : 'ROLLBACK; CLOSE ALL'));
      // After a success the caller does not wait for the rollback. After a failure the error is thrown only once the server is at rest.
      if (!isRead) await ended;
    }
  }

  private connect(): Promise<PoolClient> {
    return this.options.pool.connect().catch((cause: unknown) => {
      throw cause instanceof ApiError ? cause : this.options.toConnectError(cause);
    });
  }

  private limitOf(timeoutMs: number): number {
    return Math.max(1, Math.min(Math.ceil(timeoutMs), this.options.maxTimeoutMs ?? Infinity, 2_147_483_647));
  }
}

/**
 * SQL that begins a transaction with a time limit and with settings that make texts of values the same on every server, in one round trip.
 * All settings end with the transaction.
 */
function begin(mode: string, { first }: TableNames, timeoutMs: number, timeZone = 'UTC'): string {
  return `
    BEGIN ${mode};
    SET LOCAL search_path = pg_catalog, ${quoteIdentifier(first)}, pg_temp;
    SET LOCAL statement_timeout = ${timeoutMs};
    SET LOCAL lock_timeout = ${lockTimeoutMs};
    SET LOCAL DateStyle = 'ISO, YMD';
    SET LOCAL IntervalStyle = 'postgres';
    SET LOCAL extra_float_digits = 1;
    SET LOCAL bytea_output = 'hex';
    SET LOCAL TimeZone = ${pg.escapeLiteral(timeZone)}`;
}
