import { Readable } from 'node:stream';
import { ApiError } from '../../../common/errors/api-error.js';
import { sqlstates } from '../../../sql/sqlstate.js';
import { TableRewrittenError, WarehouseQueryError, WarehouseTimeoutError } from '../../warehouse.errors.js';
import { readableColumns } from '../readable-columns.js';
import { type Reading, type RowsRequest, type TablePlace } from '../warehouse.client.js';
import { type MysqlCatalog } from './mysql-catalog.js';
import { ByteBudgetError, type MysqlConnection } from './mysql-connection.js';
import { toReadError } from './read-errors.js';
import { RowChunks } from './row-chunks.js';
import { rowsStatement } from './rows-statement.js';

export interface MysqlReadingOptions {
  guarantee: Reading['guarantee'];
  catalog: MysqlCatalog;
  place: (table: string) => TablePlace;
  /** The time limit of a statement in ms, which is also set at the server. */
  timeoutMs: number;
  /** Time in ms beyond `timeoutMs` after which the connection is cut. */
  graceMs: number;
  signal: AbortSignal | undefined;
  /** Gives the connection and the reading's place back to others. */
  leave: () => void;
  /** Cuts the connection and ends its running statement at the server. */
  abandon: (reason: Error) => void;
}

/** The most bytes of a row. mysql2 holds a row in memory until all of its bytes have arrived. */
const rowMaxBytes = 67_108_864;

/** The most bytes of the server's answer to ROLLBACK. */
const rollbackMaxBytes = 65_536;

/** Error number of ER_TABLE_DEF_CHANGED: a table was altered after the snapshot. */
const alteredAfterSnapshot = 1412;

/** One transaction of a MySQL server. Each row arrives as one line of text in the format of PostgreSQL's COPY. */
export class MysqlReading implements Reading {
  readonly guarantee: Reading['guarantee'];
  private readonly onAbort = (): void => void this.close();
  private isReading = false;
  private isClosed = false;

  constructor(
    private readonly connection: MysqlConnection,
    private readonly options: MysqlReadingOptions,
  ) {
    this.guarantee = options.guarantee;
    options.signal?.addEventListener('abort', this.onAbort, { once: true });
    if (options.signal?.aborted) this.onAbort();
  }

  rows(request: RowsRequest): Readable {
    const { timeoutMs, graceMs, abandon } = this.options;
    const rows = new Readable({ read: () => this.connection.resume() });
    const tooLate = (): void => void rows.destroy(new WarehouseTimeoutError(timeoutMs, undefined));
    const watch = setTimeout(tooLate, Math.min(timeoutMs + graceMs, 2_147_483_647));
    rows.once('close', () => {
      clearTimeout(watch);
      // After an early close, rows are left on the connection. The next statement would have to wait for them, so the connection is cut.
      if (this.isReading) abandon(new Error('The rows were left'));
    });
    this.send(request, rows).then(
      () => rows.push(null),
      (cause: unknown) => rows.destroy(this.toError(cause, request.table)),
    );
    return rows;
  }

  private async send(request: RowsRequest, rows: Readable): Promise<void> {
    if (this.isClosed || this.isReading) throw new Error('The reading is closed, or a table is being read');
    const { catalog, place, abandon } = this.options;
    this.isReading = true;
    try {
      const description = await catalog.describe(request.table);
      const wanted = readableColumns(description, request);
      const { since, table, columns } = request;
      const column = description?.columns.find(({ name }) => name === since?.column);
      const statement = rowsStatement(place(table), wanted, column && since?.value != null ? { column, value: since.value } : null);
      const chunks = new RowChunks(table, columns);
      const onRow = ([line]: unknown[]): void => {
        this.connection.allow(rowMaxBytes);
        try {
          const chunk = chunks.add(line as Buffer | null);
          if (chunk && !rows.push(chunk)) this.connection.pause();
        } catch (error) {
          abandon(error as Error);
        }
      };
      this.connection.allow(rowMaxBytes);
      await this.connection.execute({ ...statement, isRaw: true, onRow });
      const rest = chunks.rest();
      // The last lines are pushed without a pause: the statement has ended, so nothing would resume the connection.
      if (rest) rows.push(rest);
    } catch (cause) {
      // If this process cut the connection, the server still runs the statement. `abandon` ends the statement there.
      if (!this.connection.isUsable) abandon(cause as Error);
      throw cause;
    } finally {
      this.isReading = false;
    }
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    this.options.signal?.removeEventListener('abort', this.onAbort);
    if (this.isReading) this.options.abandon(new Error('The reading was closed'));
    else await this.rollBack();
    this.options.leave();
  }

  /**
   * Rolls the transaction back. The connection of a server that does not answer is cut, because others wait for the place of the reading.
   */
  private async rollBack(): Promise<void> {
    const { abandon, graceMs } = this.options;
    const timer = setTimeout(() => this.connection.cut(new Error('The server did not end the transaction')), graceMs);
    this.connection.allow(rollbackMaxBytes);
    await this.connection.command('ROLLBACK').catch(abandon);
    clearTimeout(timer);
  }

  private toError(cause: unknown, table: string): Error {
    const { signal, timeoutMs } = this.options;
    if (signal?.aborted) return signal.reason as Error;
    if ((cause as { errno?: number }).errno === alteredAfterSnapshot) return new TableRewrittenError(table);
    if (!(cause instanceof ByteBudgetError)) return cause instanceof ApiError ? cause : toReadError(cause, timeoutMs);
    const reason = { zh: '一行数据过大', en: 'one row is too large' };
    return new WarehouseQueryError(reason, sqlstates.outOfMemory, null, cause);
  }
}
