import { type AnswerSource } from '../../common/errors/answer-too-large.error.js';
import { type Claim } from '../../common/turns/fair-share.js';
import { type Bilingual } from '../../text/bilingual.js';

/**
 * The database behind a warehouse connection. Whoever uses it does not know which kind it is; every kind passes the suite in
 * test/support/warehouse-client.contract.ts. The SQL that it is given is PostgreSQL's.
 */
export interface WarehouseClient {
  /** The schema of its tables. A bare table name in SQL means a table of it. */
  readonly schema: string;
  /** Where its tables are in the service's own database: the role that may read them and nothing else. Null anywhere else. */
  readonly local: { role: string } | null;

  /** Reads once the way every query does. @throws what `query` throws */
  test(claim: Claim): Promise<ConnectionTest>;

  /** Names of all tables, in the order of their bytes. */
  listNames(): Promise<string[]>;

  /** At most `limit` tables behind the name `after` in the order of `listNames`; '' is before all of them. */
  list(after: string, limit: number): Promise<TableSummary[]>;

  /** Null where there is no such table. */
  find(table: string): Promise<TableSummary | null>;

  /** Null where there is no such table. Unlike `list` and `find` it never waits for whoever locks the table. */
  describe(table: string): Promise<TableDescription | null>;

  /** Why SQL cannot name a table so, although there may be one; null for nothing. */
  nameProblem(table: string): NameProblem | null;

  /**
   * Runs one statement, read-only, as somebody who sees nothing but the tables.
   * @throws WarehouseBusyError, AnswerTooLargeError, WarehouseQueryError, WarehouseTimeoutError, TableBeingReplacedError,
   *   WarehouseUnavailableError
   */
  query(request: QueryRequest): Promise<QueryResult>;
}

export interface ConnectionTest {
  serverVersion: string;
  /** Who runs the SQL of users. */
  user: string;
  /** Whether that user's transaction refuses to write, and whether the user could write in another. */
  isReadOnly: boolean;
  canWrite: boolean;
}

export interface TableSummary {
  name: string;
  rowEstimate: number;
  /** On disk. */
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
  /** Whose share of the connections it takes. */
  claim: Claim;
  /** Of some seconds at most, such as the sample of a table: it has places of its own and never waits behind metrics. */
  isShort?: boolean;
  /** One statement, already guarded; `$1, $2, …` stand for the parameters. */
  sql: string;
  parameters: readonly unknown[];
  timeoutMs: number;
  /** Rows beyond this are not fetched; `truncated` tells that there were more. */
  maxRows: number;
  /** Most bytes of the result where others count against the same answer; the setting by default. */
  maxBytes?: number;
  source?: AnswerSource;
}

export interface QueryResult {
  /** Types as those of a table, without their lengths. */
  columns: { name: string; type: string }[];
  /** bigint and numeric as text, dates as YYYY-MM-DD, times as ISO 8601 (timestamptz in UTC). */
  rows: unknown[][];
  truncated: boolean;
  /** As they came over the wire. */
  bytes: number;
}
