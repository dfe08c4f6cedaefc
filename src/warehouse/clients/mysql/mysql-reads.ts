import { type Claim } from '../../../common/turns/fair-share.js';
import { mapInTurns } from '../../../common/turns/pace.js';
import { AnswerTooLargeError } from '../../../common/errors/answer-too-large.error.js';
import { lookingUpFor } from '../../../egress/lookups.js';
import { WarehouseTimeoutError } from '../../warehouse.errors.js';
import { type Places, shareAmongCallers } from '../connection-places.js';
import { mostValues, tooManyValues } from '../most-values.js';
import { RowDocuments } from '../read-document.js';
import { type QueryRequest, type QueryResult, type Reading, type ReadingRequest, type TablePlace } from '../warehouse.client.js';
import { MysqlCatalog } from './mysql-catalog.js';
import { ByteBudgetError, type MysqlConnection } from './mysql-connection.js';
import { type MysqlConnections } from './mysql-connections.js';
import { MysqlReading } from './mysql-reading.js';
import { toReadError } from './read-errors.js';
import { toResultValue, typeNameOf } from './result-values.js';

export interface MysqlReadsOptions {
  connections: MysqlConnections;
  database: string;
  places: Places;
  /** The most bytes of a result, if the request sets no other limit. */
  maxBytes: number;
  /** Upper bound in ms for the time limit of any statement, whatever a request allows. */
  maxTimeoutMs: number | undefined;
}

/** Time in ms that a server may exceed a statement's time limit before the connection is cut. */
const graceMs = 3_000;
const catalogTimeoutMs = 10_000;
/** The most rows of an answer of the catalogue: more than a page of tables needs, and few enough to hold in memory. */
const mostCatalogRows = 100_000;
/** The most bytes that the server may send for statements without rows. */
const controlBytes = 65_536;

const enough = new Error('There are enough rows');

/** Reads from a MySQL server, in sessions that may not write. */
export class MysqlReads {
  private readonly shares: ReturnType<typeof shareAmongCallers>;

  constructor(private readonly options: MysqlReadsOptions) {
    this.shares = shareAmongCallers(options.places);
  }

  catalog(claim: Claim): MysqlCatalog {
    return new MysqlCatalog(async (sql, parameters) => {
      const bounds = { claim, isShort: true, timeoutMs: catalogTimeoutMs, maxRows: mostCatalogRows };
      return (await this.query({ ...bounds, sql, parameters })).rows;
    }, this.options.database);
  }

  place(table: string): TablePlace {
    return { schema: this.options.database, table };
  }

  query(request: QueryRequest): Promise<QueryResult> {
    return (request.isShort ? this.shares.shortQueries : this.shares.queries).run(request.claim, () => this.queryNow(request));
  }

  async openReading({ claim, timeoutMs, signal }: ReadingRequest): Promise<Reading> {
    const leave = await this.shares.readings.enter(signal ? { ...claim, signal } : claim);
    try {
      const connection = await lookingUpFor(claim.caller, () => this.options.connections.take());
      const limit = this.limitOf(timeoutMs);
      try {
        const catalog = new MysqlCatalog((sql, parameters) => this.rowsOf(connection, sql, parameters), this.options.database);
        const guarantee = await this.within(connection, limit, async () => {
          connection.allow(this.options.maxBytes);
          await connection.command(limits(connection, limit));
          await connection.command('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
          return (await catalog.hasSnapshots()) ? ('snapshot' as const) : ('statement' as const);
        });
        const giveBack = (): void => {
          this.options.connections.release(connection);
          leave();
        };
        const abandon = (reason: Error): void => lookingUpFor(claim.caller, () => this.options.connections.abandon(connection, reason));
        const place = (table: string): TablePlace => this.place(table);
        return new MysqlReading(connection, { guarantee, catalog, place, timeoutMs: limit, graceMs, signal, leave: giveBack, abandon });
      } catch (cause) {
        this.options.connections.abandon(connection, cause as Error);
        throw toReadError(cause, limit);
      }
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Reads rows of the catalogue on the connection of a reading. */
  private async rowsOf(connection: MysqlConnection, sql: string, parameters: unknown[]): Promise<unknown[][]> {
    const { rows, onRow } = holdRows(connection, mostCatalogRows);
    connection.allow(this.options.maxBytes);
    try {
      await connection.execute({ sql, parameters, onRow });
    } catch (cause) {
      throw cause instanceof ByteBudgetError ? new AnswerTooLargeError('rows', cause.limitBytes, cause.limitBytes) : cause;
    }
    return rows;
  }

  private async queryNow({ claim, sql, parameters, timeoutMs, maxRows, maxBytes, source = 'rows' }: QueryRequest): Promise<QueryResult> {
    const connection = await this.options.connections.take();
    const { signal } = claim;
    const limit = this.limitOf(timeoutMs);
    const mostBytes = maxBytes ?? this.options.maxBytes;
    const columns: QueryResult['columns'] = [];
    const { rows, onRow } = holdRows(connection, maxRows);
    let received = 0;
    const cut = (): void => connection.cut(signal!.reason as Error);
    signal?.addEventListener('abort', cut, { once: true });
    try {
      signal?.throwIfAborted();
      await this.within(connection, limit, async () => {
        connection.allow(controlBytes);
        await connection.command(limits(connection, limit, maxRows + 1));
        connection.allow(mostBytes);
        received = connection.received;
        await connection.execute({
          sql,
          parameters,
          onFields: fields => columns.push(...fields.map(field => ({ name: field.name, type: typeNameOf(field) }))),
          onRow,
        });
      });
    } catch (cause) {
      signal?.throwIfAborted();
      if (cause instanceof ByteBudgetError) throw new AnswerTooLargeError(source, connection.received - received, cause.limitBytes);
      if (cause !== enough) throw toReadError(cause, limit);
    } finally {
      signal?.removeEventListener('abort', cut);
      if (connection.isUsable) this.options.connections.release(connection);
      else this.options.connections.abandon(connection, enough);
    }
    const documents = new RowDocuments();
    const toResultRow = (row: unknown[]): unknown[] => {
      documents.nextRow();
      return row.map((value, index) => toResultValue(value, columns[index]!.type, documents));
    };
    return {
      columns,
      rows: await mapInTurns(rows.slice(0, maxRows), toResultRow),
      truncated: rows.length > maxRows,
      bytes: connection.received - received,
    };
  }

  /**
   * Does work on a connection. Cuts the connection `graceMs` after the time limit, because a server that has not ended the work by then has
   * stopped answering.
   */
  private async within<T>(connection: MysqlConnection, limitMs: number, work: () => Promise<T>): Promise<T> {
    const tooLate = (): void => this.options.connections.abandon(connection, new WarehouseTimeoutError(limitMs, undefined));
    const timer = setTimeout(tooLate, Math.min(limitMs + graceMs, 2_147_483_647));
    try {
      return await work();
    } finally {
      clearTimeout(timer);
    }
  }

  private limitOf(timeoutMs: number): number {
    return Math.max(1, Math.min(Math.ceil(timeoutMs), this.options.maxTimeoutMs ?? Infinity, 2_147_483_647));
  }
}

/**
 * SQL that sets the limits of the statements that follow. net_write_timeout is the time that the server waits for a client that reads no
 * rows; the default of 60 s would end a slow reading.
 */
function limits({ isMariaDb }: MysqlConnection, timeoutMs: number, maxRows?: number): string {
  const longest = isMariaDb ? `max_statement_time = ${timeoutMs / 1000}` : `max_execution_time = ${timeoutMs}`;
  const waitS = Math.min(Math.ceil(timeoutMs / 1000) + 60, 31_536_000);
  return `SET SESSION ${longest}, sql_select_limit = ${maxRows ?? 'DEFAULT'}, net_write_timeout = ${waitS}`;
}

/** Collects the rows of a statement. The connection is cut beyond `maxRows` rows or `mostValues` values. */
function holdRows(connection: MysqlConnection, maxRows: number): { rows: unknown[][]; onRow: (row: unknown[]) => void } {
  const rows: unknown[][] = [];
  let values = 0;
  const onRow = (row: unknown[]): void => {
    values += row.length;
    // The server ignores sql_select_limit for a statement with a LIMIT of its own, so rows are also counted here.
    if (rows.length > maxRows) connection.cut(enough);
    else if (values > mostValues) connection.cut(tooManyValues());
    else rows.push(row);
  };
  return { rows, onRow };
}
