import { PassThrough, type Readable } from 'node:stream';
import { WarehouseTimeoutError, WarehouseUnavailableError } from '../../warehouse.errors.js';
import { readableColumns } from '../readable-columns.js';
import { type Reading, type RowsRequest, type TableDescription } from '../warehouse.client.js';
import { toDuckdbError } from './duckdb-errors.js';
import { type DuckdbProcess } from './duckdb-process.js';
import { type FileSource } from './protocol.js';

export interface DuckdbReadingOptions {
  process: DuckdbProcess;
  source: FileSource;
  timeoutMs: number;
  signal: AbortSignal | undefined;
  /** Gives the process back to others, or kills it if it was still working. */
  leave: (isWorking: boolean) => void;
}

/** Reads tables in a DuckDB process of its own. Each table is read as of the moment at which its rows are requested. */
export class DuckdbReading implements Reading {
  readonly guarantee = 'statement';
  private readonly onAbort = (): void => void this.close();
  private current: PassThrough | null = null;
  private isClosed = false;

  constructor(private readonly options: DuckdbReadingOptions) {
    options.signal?.addEventListener('abort', this.onAbort, { once: true });
    if (options.signal?.aborted) this.onAbort();
  }

  rows(request: RowsRequest): Readable {
    const { timeoutMs, signal } = this.options;
    const rows = new PassThrough();
    // After `close` the process may already work for another caller.
    if (this.isClosed) return rows.destroy(signal?.aborted ? (signal.reason as Error) : new WarehouseUnavailableError(undefined));
    this.current = rows;
    const timer = setTimeout(() => rows.destroy(new WarehouseTimeoutError(timeoutMs, undefined)), Math.min(timeoutMs, 2_147_483_647));
    let isAtEnd = false;
    rows.once('end', () => (isAtEnd = true));
    rows.once('close', () => {
      clearTimeout(timer);
      if (this.current === rows) this.current = null;
      // After an early close, rows are left in the process, which would count as rows of the next table. So the process is killed.
      if (!isAtEnd) this.end(true);
    });
    const fail = (error: unknown): void => {
      rows.destroy(signal?.aborted ? (signal.reason as Error) : toDuckdbError(error, { reading: request }));
    };
    this.copy(request, rows, fail).catch(fail);
    return rows;
  }

  close(): Promise<void> {
    const { signal } = this.options;
    const current = this.current;
    this.end(current !== null);
    current?.destroy(signal?.aborted ? (signal.reason as Error) : undefined);
    return Promise.resolve();
  }

  private async copy(request: RowsRequest, rows: PassThrough, fail: (error: unknown) => void): Promise<void> {
    const { process, source } = this.options;
    const { table, columns, since } = request;
    readableColumns((await process.do(source, { do: 'describe', table })) as TableDescription | null, request);
    if (rows.destroyed) return;
    const from = since?.value == null ? null : { column: since.column, value: since.value };
    process.rows(source, { do: 'rows', table, columns, since: from }).on('error', fail).pipe(rows);
  }

  private end(isWorking: boolean): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.options.signal?.removeEventListener('abort', this.onAbort);
    this.options.leave(isWorking);
  }
}
