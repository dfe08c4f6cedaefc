import { type Readable } from 'node:stream';
import { type AnswerSource } from '../../common/errors/answer-too-large.error.js';
import { type Claim } from '../../common/turns/fair-share.js';
import { type Bilingual } from '../../text/bilingual.js';
import { type Reached } from './connection-failure.js';

/** The language of the SQL that `query` takes. */
export type WarehouseDialect = 'postgres' | 'mysql' | 'duckdb' | 'clickhouse';

/**
 * The database behind a warehouse connection. Its users do not know its kind; every kind passes the suite in
 * test/support/warehouse-tables.contract.ts. Tables go by the names that users write: bare in the schema of the client, and
 * `schema.table` in others. While its server cannot be reached, each method throws ConnectionFailedError.
 */
export interface WarehouseClient {
  /** A caller that writes SQL of another dialect refuses the client with `DialectNotBuiltError`. */
  readonly dialect: WarehouseDialect;
  /** The schema of its tables. A bare table name in SQL means a table of it. */
  readonly schema: string;
  /** The role that may only read its tables, if they are in the service's own database. Null for any other place. */
  readonly local: { role: string } | null;

  /** Schema and name under which SQL finds a table. It asks no server, so the table may be missing. */
  place(table: string): TablePlace;

  /**
   * Connects and reads once, and says what the database user may do. It takes some 5 seconds at most.
   * @throws ConnectionFailedError with the stage at which it stopped
   */
  test(claim: Claim, reached?: Reached): Promise<ConnectionTest>;

  /** Catalogue of the tables. Its reads are short ones of the caller. */
  catalog(claim: Claim): TableCatalog;

  /** The reason why SQL cannot use this name for a table, although there may be one; null if it can. */
  nameProblem(table: string): NameProblem | null;

  /** Reads some rows of a table that the catalogue describes, with its columns in their order. @throws the errors of `query` */
  sample(request: SampleRequest): Promise<QueryResult>;

  /**
   * Runs one statement, read-only, as a role that sees nothing but the tables. The signal of the claim ends it, also on the server.
   * @throws the reason of the signal, WarehouseBusyError, AnswerTooLargeError, WarehouseQueryError, WarehouseTimeoutError,
   * TableBeingReplacedError, WarehouseUnavailableError
   */
  query(request: QueryRequest): Promise<QueryResult>;

  /**
   * Begins to read whole tables, however large. It takes a place of its own, so it must be closed.
   * @throws WarehouseBusyError, WarehouseUnavailableError
   */
  openReading(request: ReadingRequest): Promise<Reading>;

  /** Closes what is idle. Work under way may go on and connect anew; what it gives back is closed too. */
  close(): Promise<void>;
}

/** Describes tables. Each method throws the errors of `query`. */
export interface TableCatalog {
  /** Names of all tables, in the order of their bytes. */
  listNames(): Promise<string[]>;

  /** At most `limit` tables after the name `after`, in the order of `listNames`; '' is before all of them. */
  list(after: string, limit: number): Promise<TableSummary[]>;

  /** Null if the table does not exist. */
  find(table: string): Promise<TableSummary | null>;

  /** Null if the table does not exist. Unlike `list` and `find` it never waits for a lock on the table. */
  describe(table: string): Promise<TableDescription | null>;
}

/** Reads tables one after the other. */
export interface Reading {
  /** `snapshot`: all of its reads see one moment. `statement`: each of them sees a moment of its own. */
  readonly guarantee: 'snapshot' | 'statement';

  /**
   * Streams the rows of a table in the text format of PostgreSQL's COPY, UTF-8 without a header: a line a row, tabs between values, `\N`
   * for NULL, and a backslash before what has a meaning. Columns come in the order asked for. Each value can be read as the type that the
   * catalogue gives for its column. A chunk may end inside of a row. Read one stream to its end before the next; a stream that is destroyed
   * early ends the reading. The stream fails with TableNotFoundError, ColumnNotFoundError, UnreadableColumnError, or the errors of `query`.
   */
  rows(request: RowsRequest): Readable;

  /** Ends the reading, also while rows are on their way. */
  close(): Promise<void>;
}

export interface ReadingRequest {
  /** The caller whose share of the connections it takes. */
  claim: Claim;
  /** The longest time of one table. */
  timeoutMs: number;
  /** Ends the reading. Streams then fail with its reason. */
  signal?: AbortSignal;
}

export interface RowsRequest {
  table: string;
  columns: string[];
  /**
   * Reads only rows whose column is at least this value, or has none. The value is text in the form of the rows and is compared as
   * the column's own type. Null reads all rows.
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
  /** The database user that runs the SQL of users. */
  user: string;
  /** Tells whether that user's transaction refuses to write, and whether the user could write in another. */
  isReadOnly: boolean;
  canWrite: boolean;
  /** Facts that the owner of the connection should know or change. */
  warnings: Bilingual[];
}

export interface TableSummary {
  name: string;
  rowEstimate: number;
  /** Bytes on disk. */
  bytes: number;
  columnCount: number;
  comment: string | null;
}

export interface TableColumn {
  name: string;
  /**
   * The type of PostgreSQL that holds every value of the column, in its short spelling: `integer`, `numeric(12,2)`, `timestamptz`.
   * `other` if there is none: a reading refuses the column.
   */
  type: string;
  /** The type as the database spells it. */
  nativeType: string;
  nullable: boolean;
  comment: string | null;
}

export interface TableKey {
  primary: boolean;
  columns: string[];
}

export interface TableDescription {
  /** In the order of the table. */
  columns: TableColumn[];
  /** The primary key first. */
  keys: TableKey[];
  foreignKeys: ForeignKey[];
}

export interface ForeignKey {
  columns: string[];
  /** The table that it refers to, as users write its name, and the columns there, in the order of `columns`. */
  table: string;
  references: string[];
}

export interface NameProblem extends Bilingual {
  type: string;
}

export interface QueryRequest {
  /** The caller whose share of the connections it takes. */
  claim: Claim;
  /** Takes some seconds at most, such as the sample of a table. It has places of its own and never waits behind metrics. */
  isShort?: boolean;
  /** One guarded statement; `$1, $2, …` stand for the parameters. */
  sql: string;
  parameters: readonly unknown[];
  timeoutMs: number;
  /** Further rows are not fetched; `truncated` tells that there were more. */
  maxRows: number;
  /** The most bytes of the result, if other results count against the same answer. The setting by default. */
  maxBytes?: number;
  source?: AnswerSource;
}

export interface QueryResult {
  /** Types as those of a table, without their lengths. */
  columns: { name: string; type: string }[];
  /** bigint and numeric as text, dates as YYYY-MM-DD, times as ISO 8601 (timestamptz in UTC). */
  rows: unknown[][];
  truncated: boolean;
  /** Counted on the wire. */
  bytes: number;
}
