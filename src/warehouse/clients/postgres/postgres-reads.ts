import pg, { type PoolClient } from 'pg';
import { ApiError } from '../../../common/errors/api-error.js';
import { withinBytes } from '../../../database/byte-budget.js';
import { type DiskReserve } from '../../../database/disk-reserve.js';
import { type WatchedPool } from '../../../database/watched-pool.js';
import { type Claim, type FairShare } from '../../../common/turns/fair-share.js';
import { lookingUpFor } from '../../../egress/lookups.js';
import { quoteIdentifier, quoteTable } from '../../../sql/quote-identifier.js';
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
/** A materialised view and a foreign table cannot be locked, nor a table of which the user may read some columns. */
const unlockable: ReadonlySet<string> = new Set([sqlstates.wrongObjectType, sqlstates.insufficientPrivilege]);
/** The reader may work on what it has read before it asks for the next table. */
const longPauses = `SET LOCAL idle_in_transaction_session_timeout = '1h'`;
/** All rows of a cursor are read, so the plan for the first ones would be the wrong one. */
const forAllRows = `SET LOCAL cursor_tuple_fraction = 1`;
/** Row numbers are places in the table, so a scan must begin at its beginning. */
const inOrder = `SET LOCAL synchronize_seqscans = off`;
const snapshotMode = 'ISOLATION LEVEL REPEATABLE READ, READ ONLY';

export interface SnapshotRequest extends Pick<QueryRequest, 'claim' | 'timeoutMs' | 'maxBytes' | 'source'> {
  /** The tables that the statements read, in schemas of the client. */
  tables: TablePlace[];
  /** The zone in which times without one are read and parts of times are taken. UTC by default. */
  timeZone?: string;
}

/** Runs one statement of a snapshot. @throws as `WarehouseClient.query` */
export type SnapshotQuery = (statement: Pick<QueryRequest, 'sql' | 'parameters' | 'maxRows'>) => Promise<QueryResult>;

export interface ExportRequest extends SnapshotRequest {
  /** The longest time of all, with that which the reader of the rows takes. */
  wholeMs: number;
}

/** Reads all rows of a statement, batch by batch. It is the last statement of its snapshot. @throws as `WarehouseClient.query` */
export type SnapshotRows = (statement: SqlStatement) => AsyncGenerator<QueryResult>;

export interface PostgresReadsOptions {
  pool: WatchedPool;
  names: TableNames;
  places: Places;
  /** The most bytes of a result whose request gives no other bound. */
  maxBytes: number;
  /** The longest statement, whatever a request allows. */
  maxTimeoutMs?: number;
  /**
   * Whether an export's rows are computed before the first is read, so that a slow reader keeps no table from being replaced. Not
   * for servers of others: a pooler in front of them may give the next transaction to another session.
   */
  computesExports?: boolean;
  /** The reserve of the disk that the server shares with the service, which an export may sort on. */
  disk?: Pick<DiskReserve, 'require' | 'explain'>;
  /** Turns a connection that could not be made into an error of ours. */
  toConnectError: (cause: unknown) => ApiError;
}

/**
 * Reads from a PostgreSQL server in read-only transactions that are always rolled back. The extended protocol carries at most one
 * statement, whatever its text says.
 */
export class PostgresReads {
  private readonly shares: ReturnType<typeof shareAmongCallers>;
  /** The ends, at the server, of what was cut. */
  private readonly cuts = new WeakMap<Claim, Promise<void>>();

  constructor(private readonly options: PostgresReadsOptions) {
    this.shares = shareAmongCallers(options.places);
  }

  query(request: QueryRequest): Promise<QueryResult> {
    return this.inPlace(request.isShort ? this.shares.shortQueries : this.shares.queries, request.claim, () => this.queryNow(request));
  }

  /** Runs statements that all see the same rows of tables of the same form. The signal of the claim cancels the one that runs. */
  snapshot<T>(request: SnapshotRequest, work: (query: SnapshotQuery) => Promise<T>): Promise<T> {
    return this.inPlace(this.shares.queries, request.claim, () => this.snapshotNow(request, work));
  }

  /** A snapshot whose last statement may have any number of rows. It takes a place among the readings, so that no metric waits for it. */
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

  /** Does the work in a place, which the caller keeps until the server has ended what was cut: it would gather there otherwise. */
  private inPlace<T>(share: FairShare, claim: Claim, work: () => Promise<T>): Promise<T> {
    return share.run(claim, work, () => this.cuts.get(claim));
  }

  private queryNow({ timeoutMs, maxBytes, source, claim, ...statement }: QueryRequest): Promise<QueryResult> {
    return this.transaction({ timeoutMs, claim }, async (client, limit) => {
      await frame(client, begin('READ ONLY', this.options.names, limit));
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
      const all = tables.map(({ schema, table }) => quoteTable(schema, table)).join(', ');
      // A lock takes no snapshot. A table that is swapped or altered before it is locked is then seen as it is after that.
      await frame(client, tables.length === 0 ? start : `${start}; LOCK TABLE ${all} IN ACCESS SHARE MODE`).catch(
        async (cause: unknown) => {
          if (!unlockable.has(sqlstateOf(cause))) throw cause;
          await frame(client, 'ROLLBACK');
          await frame(client, start);
        },
      );
      const query: SnapshotQuery = statement => {
        claim.signal?.throwIfAborted();
        return withWatch(client, limit, () => this.run(client, statement, bounds));
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

  /** Rolls back what the work has begun. The connection is cut when the work takes longer than its limit. */
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
      // A cancellation that is under way would meet the next statement of the connection.
      const ended = cancelled.then(() => rollBack(client, wholeMs === undefined ? 'ROLLBACK' : 'ROLLBACK; CLOSE ALL'));
      // Nobody waits for the end of what has been read. After a failure, the server is at rest when the error is told.
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

/** Makes reads harmless in one round trip, and their texts the same on every server. All of it ends with the transaction. */
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
