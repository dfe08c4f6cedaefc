import { PassThrough, type Readable } from 'node:stream';
import { type Claim } from '../../../common/turns/fair-share.js';
import { lookingUpFor } from '../../../egress/lookups.js';
import { UnreadableValueError } from '../../warehouse.errors.js';
import { readableColumns } from '../readable-columns.js';
import { type Reading, type RowsRequest } from '../warehouse.client.js';
import { type ClickHouseCatalog } from './clickhouse-catalog.js';
import { type ClickHouseTransport } from './clickhouse-transport.js';
import { readingSql, unfit } from './reading-sql.js';
import { toReadError } from './read-errors.js';
import { ServerError } from './server-error.js';

export interface ClickHouseReadingOptions {
  caller: Claim['caller'];
  timeoutMs: number;
  signal: AbortSignal | undefined;
  /** Gives the reading's place back to others. */
  leave: () => void;
}

/**
 * Reads each table in one statement, since ClickHouse has no snapshot over several statements. It writes values as text in the format of
 * PostgreSQL's COPY.
 */
export class ClickHouseReading implements Reading {
  readonly guarantee = 'statement';
  private readonly ended = new AbortController();
  private readonly onAbort = (): void => this.end(this.options.signal!.reason as Error);
  private isClosed = false;

  constructor(
    private readonly transport: ClickHouseTransport,
    private readonly catalog: ClickHouseCatalog,
    private readonly database: string,
    private readonly options: ClickHouseReadingOptions,
  ) {
    options.signal?.addEventListener('abort', this.onAbort, { once: true });
    if (options.signal?.aborted) this.onAbort();
  }

  rows(request: RowsRequest): Readable {
    const rows = new PassThrough();
    const { signal } = this.ended;
    const onEnd = (): void => void rows.destroy(signal.reason as Error);
    signal.addEventListener('abort', onEnd, { once: true });
    rows.once('close', () => {
      signal.removeEventListener('abort', onEnd);
      if (!rows.readableEnded) this.end(new Error('The reading was left'));
    });
    this.copy(request, rows).catch((cause: unknown) => rows.destroy(this.toError(cause, request)));
    return rows;
  }

  close(): Promise<void> {
    if (!this.isClosed) {
      this.isClosed = true;
      this.options.signal?.removeEventListener('abort', this.onAbort);
      this.end(new Error('The reading is closed'));
      this.options.leave();
    }
    return Promise.resolve();
  }

  private end(reason: Error): void {
    this.ended.abort(reason);
  }

  private async copy(request: RowsRequest, rows: PassThrough): Promise<void> {
    this.ended.signal.throwIfAborted();
    const description = await this.catalog.describe(request.table);
    const columns = readableColumns(description, request);
    const nativeTypes = new Map(description!.columns.map(({ name, nativeType }) => [name, nativeType]));
    const { since } = request;
    const statement = {
      sql: readingSql(this.database, request, columns, nativeTypes),
      parameters: since?.value == null ? {} : { since: since.value },
      // Several threads would return rows in a different order each time. With the same order, a run that finds the rows of the last run
      // ends at once.
      settings: { max_threads: 1 },
      timeoutMs: this.options.timeoutMs,
    };
    const answer = await lookingUpFor(this.options.caller, () => this.transport.send(statement, this.ended.signal));
    rows.once('close', () => answer.destroy());
    answer.on('error', cause => rows.destroy(this.toError(cause, request)));
    answer.pipe(rows);
  }

  private toError(cause: unknown, { table, columns }: RowsRequest): Error {
    if (this.ended.signal.aborted) return this.ended.signal.reason as Error;
    const index = cause instanceof ServerError ? new RegExp(`${unfit}(\\d+)`).exec(cause.message)?.[1] : undefined;
    return index === undefined ? toReadError(cause, this.options.timeoutMs) : new UnreadableValueError(table, columns[Number(index)]!);
  }
}
