import { type Readable } from 'node:stream';
import { type AnswerSource } from '../../common/errors/answer-too-large.error.js';
import { type Claim } from '../../common/turns/fair-share.js';
import { type Bilingual } from '../../text/bilingual.js';
import { type NameProblem } from '../files/name-problem.js';
import { type Reached } from './connection-failure.js';

/** The SQL dialect that `WarehouseClient.query` takes. */
export type WarehouseDialect = 'postgres' | 'mysql' | 'duckdb' | 'clickhouse';

/**
 * The database behind a warehouse connection. Callers of the client do not need to know which kind of database it is; every kind passes the
 * suite in test/support/warehouse-tables.contract.ts. Table names are written as users write them: bare for a table in the schema of the
 * client, and `schema.table` for others. While the database's server cannot be reached, each method throws ConnectionFailedError.
 */
export interface WarehouseClient {
  /** The dialect of the SQL that `query` accepts. A caller that cannot write this dialect throws `DialectNotBuiltError`. */
  readonly dialect: WarehouseDialect;
  /** The schema of the client's tables. A bare table name in SQL means a table of this schema. */
  readonly schema: string;
  /** The database role that may only read the client's tables, if they are in the service's own database. Null for any other database. */
  readonly local: { role: string } | null;

  /** Schema and name of a table in SQL. The method does not ask the server, so the table may not exist. */
  place(table: string): TablePlace;

  /**
   * Connects and reads once. The result includes what the database user may do. The test takes some 5 seconds at most.
   * @throws ConnectionFailedError with the stage of connecting at which it stopped
   */
  test(claim: Claim, reached?: Reached): Promise<ConnectionTest>;

  /** Catalogue of the tables. Its reads count as short reads of the caller. */
  catalog(claim: Claim): TableCatalog;

  /** The reason why SQL cannot use this name for a table, even if such a table exists; null if SQL can use it. */
  nameProblem(table: string): NameProblem | null;

  /** Reads some rows of a table that the catalogue describes, with all its columns in the table's order. @throws the errors of `query` */
  sample(request: SampleRequest): Promise<QueryResult>;

  /**
   * Runs one read-only statement, as a role that can read only the client's tables. The signal of the claim ends the statement, also on the
   * server.
   * @throws the reason of the signal, WarehouseBusyError, AnswerTooLargeError, WarehouseQueryError, WarehouseTimeoutError,
   *   TableBeingReplacedError, WarehouseUnavailableError
   */
  query(request: QueryRequest): Promise<QueryResult>;

  /**
   * Begins to read whole tables of any size. The reading uses one of the caller's places for connections, so it must be closed.
   * @throws WarehouseBusyError, WarehouseUnavailableError
   */
  openReading(request: ReadingRequest): Promise<Reading>;

  /** Closes idle connections. Running work may continue, and may even connect again; its connections are closed when it releases them. */
  close(): Promise<void>;
}

/** The catalogue of a client's tables. Each method throws the errors of `WarehouseClient.query`. */
export interface TableCatalog {
  /** Names of all tables, in the order of their bytes. */
  listNames(): Promise<string[]>;

  /**
   * Lists at most `limit` tables whose names come after `after`, in the order of the names' bytes. An `after` of '' starts with the first
   * table.
   */
  list(after: string, limit: number): Promise<TableSummary[]>;

  /** The summary of a table; null if it does not exist. */
  find(table: string): Promise<TableSummary | null>;

  /** Describes a table; null if there is none. Unlike `list` and `find`, this method never waits for a lock on the table. */
  describe(table: string): Promise<TableDescription | null>;
}

/** Reads tables one after the other. */
export interface Reading {
  /** `snapshot`: all reads see the tables as of one moment. `statement`: each read sees its table as of a moment of its own. */
  readonly guarantee: 'snapshot' | 'statement';

  /**
   * Streams the rows of a table in the text format of PostgreSQL's COPY, UTF-8 without a header: one line for each row, tabs between
   * values, `\N` for NULL, and a backslash before each character with a meaning in that format. Columns come in the order of the request.
   * Each value can be read as the type that the catalogue gives for its column. A chunk may end inside a row. Read one stream to its end
   * before you request the next; a stream that is destroyed early ends the reading. The stream fails with TableNotFoundError,
   * ColumnNotFoundError, UnreadableColumnError, or the errors of `query`.
   */
  rows(request: RowsRequest): Readable;

  /** Ends the reading, even in the middle of a stream of rows. */
  close(): Promise<void>;
}

export interface ReadingRequest {
  /** The caller. The reading counts against the caller's share of the connections. */
  claim: Claim;
  /** The longest time to read one table, in ms. */
  timeoutMs: number;
  /** Ends the reading when it aborts. Streams then fail with the signal's reason. */
  signal?: AbortSignal;
}

export interface RowsRequest {
  table: string;
  columns: string[];
  /**
   * Restricts the rows to those whose `column` is NULL or at least `value`. `value` is a text in the form of the rows and is compared as
   * the column's own type. A `value` of null reads all rows.
   */
  since?: { column: string; value: string | null };
}

export interface TablePlace {
  schema: string;
  table: string;
}

export interface SampleRequest {
  claim: Claim;
  table: string;
  maxRows: number;
  timeoutMs: number;
}

export interface ConnectionTest {
  serverVersion: string;
  /** The database user that runs the SQL of the service's users. */
  user: string;
  /** `isReadOnly`: the transactions of this service refuse to write. `canWrite`: the user could write in other transactions. */
  isReadOnly: boolean;
  canWrite: boolean;
  /** Sentences for the owner of the connection: facts that the owner should know or change. */
  warnings: Bilingual[];
}

export interface TableSummary {
  name: string;
  rowEstimate: number;
  /** Bytes that the table takes on disk. */
  bytes: number;
  columnCount: number;
  comment: string | null;
}

export interface TableColumn {
  name: string;
  /**
   * The PostgreSQL type that can hold every value of the column, in its short spelling: `integer`, `numeric(12,2)`, `timestamptz`. If there
   * is none, the type is `other`, and a reading refuses the column.
   */
  type: string;
  /** The type as the database spells it. */
  nativeType: string;
  nullable: boolean;
  comment: string | null;
  /**
   * The column's collation, if it compares texts as equal that differ in case or accents, such as `de` and `DE`. This service compares
   * texts by their bytes.
   */
  collation?: string;
  /** Set if the connection's user may read other columns of the table but not this one, which then has the type `other`. */
  denied?: true;
}

export interface TableKey {
  primary: boolean;
  columns: string[];
}

export interface TableDescription {
  /** The columns in the order in which the table has them. */
  columns: TableColumn[];
  /** The table's keys, with the primary key first. */
  keys: TableKey[];
  foreignKeys: ForeignKey[];
}

export interface ForeignKey {
  columns: string[];
  /** The table that the foreign key refers to, as users write its name, and that table's columns, in the order of `columns`. */
  table: string;
  references: string[];
}

export interface QueryRequest {
  /** The caller. The query counts against the caller's share of the connections. */
  claim: Claim;
  /**
   * True for a query that takes some seconds at most, such as the sample of a table. Short queries have places of their own and never wait
   * behind metrics.
   */
  isShort?: boolean;
  /**
   * One statement that the caller has checked, with the placeholders of the client's dialect, such as `$1` for PostgreSQL and `?` for
   * MySQL.
   */
  sql: string;
  parameters: readonly unknown[];
  timeoutMs: number;
  /** The most rows of the result. Further rows are not fetched; `truncated` is true if there were more than `maxRows`. */
  maxRows: number;
  /**
   * The most bytes of the result. A caller sets it if several results share the limit of one answer. By default the limit of the settings.
   */
  maxBytes?: number;
  source?: AnswerSource;
  /** The time zone for times without a zone and for parts of times, such as the hour, in a statement for PostgreSQL. UTC by default. */
  timeZone?: string;
}

export interface QueryResult {
  /** Columns of the result. Types are spelled as in the catalogue, but without lengths. */
  columns: { name: string; type: string }[];
  /** Values of the rows: bigint and numeric as text, dates as YYYY-MM-DD, times as ISO 8601 (timestamptz in the zone of the request).*/
  rows: unknown[][];
  truncated: boolean;
  /** Bytes of the result as the server sent them. */
  bytes: number;
}
