import { type Socket } from 'node:net';
import { PassThrough, type Readable } from 'node:stream';
import pg, { type PoolClient } from 'pg';
import { type CopyToStreamQuery, to as copyTo } from 'pg-copy-streams';
import { ApiError } from '../../../common/errors/api-error.js';
import { withinBytes } from '../../../database/byte-budget.js';
import { isBusy, sever } from '../../../database/sever-connection.js';
import { quoteIdentifier, quoteTable } from '../../../sql/quote-identifier.js';
import { TableRewrittenError, WarehouseTimeoutError, WarehouseUnavailableError } from '../../warehouse.errors.js';
import { readableColumns } from '../readable-columns.js';
import { type Reading, type RowsRequest } from '../warehouse.client.js';
import { CappedQuery } from './capped-query.js';
import { frame, rollBack, withWatch } from './frame.js';
import { allowBesideRows } from './guarded-client.js';
import { mostCatalogRows, PostgresCatalog, recordsOf } from './postgres-catalog.js';
import { toReadError } from './read-errors.js';
import { type TableNames } from './table-names.js';
import { MessageLengths } from './whole-messages.js';

/** The most bytes that the server may send besides the rows of a table, such as notices and errors. */
const besideRowsMaxBytes = 2_097_152;
const watchEveryMs = 500;
/** The lowest OID of a user's relation. Relations of PostgreSQL's catalogue have lower OIDs. */
const firstUserOid = 16_384;

export interface PostgresReadingOptions {
  /** The time limit of a statement in ms, which is also set at the server. */
  timeoutMs: number;
  /** Time in ms beyond `timeoutMs` after which the connection is cut. */
  graceMs: number;
  signal: AbortSignal | undefined;
  /** The most bytes of the catalogue's description of a table. */
  maxBytes: number;
  /** Asks the server to end the statement that the connection runs. Never rejects. */
  cancel: () => Promise<void>;
  /**
   * Give the reading's place back to others: `leave` at once, `leaveOnceGone` once the server has ended the statement whose connection was
   * cut.
   */
  leave: () => void;
  leaveOnceGone: () => void;
}

/**
 * One transaction of a PostgreSQL server. All its reads see the tables as of its first read. Rows are passed on as the server sends them.
 */
export class PostgresReading implements Reading {
  readonly guarantee = 'snapshot';
  private readonly catalog: PostgresCatalog;
  private readonly onAbort = (): void => void this.close();
  private isClosed = false;
  private abandoned: Promise<void> | null = null;

  constructor(
    private readonly client: PoolClient,
    private readonly names: TableNames,
    private readonly options: PostgresReadingOptions,
  ) {
    const { maxBytes } = options;
    const read = (sql: string, parameters: unknown[]) => CappedQuery.run(client, sql, parameters, mostCatalogRows);
    this.catalog = new PostgresCatalog(async (sql, parameters) => {
      const { result } = await withinBytes(client, { limitBytes: maxBytes, source: 'rows' }, () => read(sql, parameters));
      return recordsOf(result);
    }, names);
    options.signal?.addEventListener('abort', this.onAbort, { once: true });
    if (options.signal?.aborted) this.onAbort();
  }

  rows(request: RowsRequest): Readable {
    const rows = new PassThrough();
    const { timeoutMs, graceMs } = this.options;
    const watch = setTimeout(() => {
      rows.destroy(new WarehouseTimeoutError(timeoutMs, undefined));
    }, Math.min(timeoutMs + graceMs, 2_147_483_647)); // prettier-ignore
    let isAtEnd = false;
    rows.once('end', () => (isAtEnd = true));
    rows.once('close', () => {
      clearTimeout(watch);
      // After an early close, rows are left on the connection. The next statement would have to wait for them, so the connection is cut.
      if (!isAtEnd) void this.abandon();
    });
    this.copy(request, rows).catch((cause: unknown) => rows.destroy(this.toError(cause)));
    return rows;
  }

  private async copy(request: RowsRequest, rows: PassThrough): Promise<void> {
    const sql = await this.copySql(request);
    allowBesideRows(this.client, besideRowsMaxBytes);
    const copy = this.client.query(this.checkedCopy(sql));
    copy.on('error', cause => rows.destroy(this.toError(cause)));
    this.watchBytes(copy, rows);
    copy.pipe(rows, { end: false });
    copy.once('end', () => {
      this.requireOldFiles(request.table).then(
        () => rows.end(),
        (cause: unknown) => rows.destroy(this.toError(cause)),
      );
    });
  }

  private checkedCopy(sql: string): CopyToStreamQuery {
    const copy = copyTo(sql);
    const reader = copy as unknown as { _parse: (chunk: Buffer) => boolean };
    const parse = reader._parse.bind(copy);
    const lengths = new MessageLengths();
    // pg-copy-streams loops forever on a message whose length field is less than the field's own 4 bytes, so lengths are checked first.
    reader._parse = chunk => {
      try {
        lengths.check(chunk);
      } catch (cause) {
        copy.destroy(cause as Error);
        sever(this.client);
        return false;
      }
      return parse(chunk);
    };
    return copy;
  }

  /**
   * Checks that no table was truncated, rewritten or replaced after the snapshot: PostgreSQL reads such a table as empty, see
   * https://www.postgresql.org/docs/current/mvcc-caveats.html. pg_locks names the tables that have been read, and the snapshot's pg_class
   * names their former files. A partition that was attached or detached after the snapshot is found likewise: PostgreSQL reads the present
   * partitions, which pg_partition_tree names. One that was created after the snapshot has no rows in it.
   * @throws TableRewrittenError
   */
  private async requireOldFiles(table: string): Promise<void> {
    const sql = `
      SELECT FROM pg_locks l LEFT JOIN pg_class c ON c.oid = l.relation
      WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation' AND l.relation >= ${firstUserOid}
        AND CASE WHEN c.oid IS NULL
              THEN pg_index_has_property(l.relation, 'clusterable') IS NULL AND coalesce(pg_partition_root(l.relation), l.relation) = l.relation
            WHEN c.relkind = 'p' THEN EXISTS (
              SELECT FROM (SELECT inhrelid AS oid FROM pg_inherits WHERE inhparent = c.oid) former
                FULL JOIN (SELECT relid AS oid FROM pg_partition_tree(c.oid) WHERE level = 1) present USING (oid)
                JOIN pg_class part USING (oid) WHERE former IS NULL OR present IS NULL)
            ELSE c.relkind IN ('r', 'm') AND c.relfilenode <> pg_relation_filenode(c.oid) END LIMIT 1`;
    const { rowCount } = await withWatch(this.client, this.options.timeoutMs, () => frame(this.client, sql));
    if (rowCount !== 0) throw new TableRewrittenError(table);
  }

  /**
   * Cuts the connection if the server sends far more bytes than the rows need. A row has at least one byte, the protocol adds five bytes to
   * it, and TLS adds little. More than eight bytes for each byte of rows are therefore refused.
   */
  private watchBytes(copy: Readable, rows: PassThrough): void {
    const { stream } = (this.client as unknown as { connection: { stream: Socket } }).connection;
    const before = stream.bytesRead;
    let passed = 0;
    copy.on('data', (chunk: Buffer) => (passed += chunk.length));
    const watch = setInterval(() => {
      if (stream.bytesRead - before <= 8 * passed + besideRowsMaxBytes) return;
      rows.destroy(new WarehouseUnavailableError(new Error('The server sends too many bytes beside its rows')));
      sever(this.client);
    }, watchEveryMs);
    rows.once('close', () => clearInterval(watch));
    copy.once('end', () => {
      clearInterval(watch);
      allowBesideRows(this.client, Infinity);
    });
  }

  /** @throws TableNotFoundError, ColumnNotFoundError, UnreadableColumnError */
  private async copySql(request: RowsRequest): Promise<string> {
    readableColumns(await this.catalog.describe(request.table), request);
    const { schema, table } = this.names.place(request.table);
    const columns = request.columns.map(quoteIdentifier).join(', ');
    const { since } = request;
    if (since?.value == null) return `COPY (SELECT ${columns} FROM ${quoteTable(schema, table)}) TO STDOUT (ENCODING 'UTF8')`;
    const column = quoteIdentifier(since.column);
    // COPY takes no parameters, so the value is a quoted literal. PostgreSQL gives a quoted literal the type of the column that it is
    // compared with.
    const where = `${column} >= ${pg.escapeLiteral(since.value)} OR ${column} IS NULL`;
    return `COPY (SELECT ${columns} FROM ${quoteTable(schema, table)} WHERE ${where}) TO STDOUT (ENCODING 'UTF8')`;
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    this.options.signal?.removeEventListener('abort', this.onAbort);
    if (this.abandoned !== null || isBusy(this.client)) {
      await this.abandon();
      this.client.release(true);
      this.options.leaveOnceGone();
    } else {
      await rollBack(this.client, 'ROLLBACK');
      this.options.leave();
    }
  }

  /** Ends the running statement at the server, and cuts the connection. */
  private abandon(): Promise<void> {
    this.abandoned ??= this.options.cancel().then(() => sever(this.client));
    return this.abandoned;
  }

  private toError(cause: unknown): Error {
    const { signal, timeoutMs } = this.options;
    if (signal?.aborted) return signal.reason as Error;
    return cause instanceof ApiError ? cause : toReadError(cause, timeoutMs);
  }
}
