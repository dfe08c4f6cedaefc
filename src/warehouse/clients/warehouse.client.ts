import { type AnswerSource } from '../../common/errors/answer-too-large.error.js';
import { type Claim } from '../../common/turns/fair-share.js';
import { type Bilingual } from '../../text/bilingual.js';

/**
 * The database behind a warehouse connection. Its users do not know its kind; every kind passes the suite in
 * test/support/warehouse-client.contract.ts. It is given PostgreSQL's SQL.
 */
export interface WarehouseClient {
  /** The schema of its tables. A bare table name in SQL means a table of it. */
  readonly schema: string;
  /** The role that may only read its tables, if they are in the service's own database. Null for any other place. */
  readonly local: { role: string } | null;

  /** Reads once in the way of every query. @throws the errors of `query` */
  test(claim: Claim): Promise<ConnectionTest>;

  /** Names of all tables, in the order of their bytes. */
  listNames(): Promise<string[]>;

  /** At most `limit` tables after the name `after`, in the order of `listNames`; '' is before all of them. */
  list(after: string, limit: number): Promise<TableSummary[]>;

  /** Null if there is no such table. */
  find(table: string): Promise<TableSummary | null>;

  /** Null if there is no such table. Unlike `list` and `find` it never waits for a lock on the table. */
  describe(table: string): Promise<TableDescription | null>;

  /** The reason why SQL cannot use this name for a table, although there may be one; null if it can. */
  nameProblem(table: string): NameProblem | null;

  /**
   * Runs one statement, read-only, as a role that sees nothing but the tables.
   * @throws WarehouseBusyError, AnswerTooLargeError, WarehouseQueryError, WarehouseTimeoutError, TableBeingReplacedError,
   * WarehouseUnavailableError
   */
  query(request: QueryRequest): Promise<QueryResult>;
}

export interface ConnectionTest {
  serverVersion: string;
  /** The database user that runs the SQL of users. */
  user: string;
  /** Tells whether that user's transaction refuses to write, and whether the user could write in another. */
  isReadOnly: boolean;
  canWrite: boolean;
}

export interface TableSummary {
  name: string;
  rowEstimate: number;
  /** Bytes on disk. */
  bytes: number;
  columnCount: number;
}

export interface TableColumn {
  name: string;
  /** A type of PostgreSQL in its short spelling: `integer`, `numeric(12,2)`, `timestamptz`. */
  type: string;
  nullable: boolean;
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
