import { type Claim } from '../../../common/turns/fair-share.js';
import { quoteIdentifier, quoteTable } from '../../../sql/quote-identifier.js';
import { TableNotFoundError } from '../../warehouse.errors.js';
import {
  type ConnectionTest,
  type QueryRequest,
  type QueryResult,
  type Reading,
  type ReadingRequest,
  type SampleRequest,
  type TableDescription,
  type TablePlace,
  type TableSummary,
} from '../warehouse.client.js';
import { PostgresCatalog } from './postgres-catalog.js';
import { PostgresReads, type PostgresReadsOptions } from './postgres-reads.js';
import { testPostgres } from './test-postgres.js';

const catalogTimeoutMs = 10_000;
/** More than a page of tables, and fewer than a client could not hold. */
const mostCatalogRows = 100_000;
/** The catalogue is read in the name of no caller. */
const catalogClaim: Claim = { caller: 'catalogue' };

export interface PostgresTablesOptions extends PostgresReadsOptions {
  /** Its catalogue, if it is read in another way than the statements of users. */
  catalog?: PostgresCatalog;
}

/** What all warehouse clients on a PostgreSQL server have in common. */
export class PostgresTables {
  readonly dialect = 'postgres';
  readonly schema: string;
  protected readonly reads: PostgresReads;
  private readonly catalog: PostgresCatalog;

  constructor(private readonly options: PostgresTablesOptions) {
    this.schema = options.names.first;
    this.reads = new PostgresReads(options);
    this.catalog = options.catalog ?? new PostgresCatalog((sql, parameters) => this.readCatalog(sql, parameters), options.names);
  }

  place(table: string): TablePlace {
    return this.options.names.place(table);
  }

  test(claim: Claim): Promise<ConnectionTest> {
    return testPostgres(sql => this.reads.query({ ...sql, claim, isShort: true }), this.options.names);
  }

  listNames(): Promise<string[]> {
    return this.catalog.listNames();
  }

  list(after: string, limit: number): Promise<TableSummary[]> {
    return this.catalog.list(after, limit);
  }

  find(table: string): Promise<TableSummary | null> {
    return this.catalog.find(table);
  }

  describe(table: string): Promise<TableDescription | null> {
    return this.catalog.describe(table);
  }

  async sample({ table, ...request }: SampleRequest): Promise<QueryResult> {
    const description = await this.catalog.describe(table);
    if (!description) throw new TableNotFoundError();
    const place = this.place(table);
    const columns = description.columns.map(column => quoteIdentifier(column.name)).join(', ');
    const sql = `SELECT ${columns} FROM ${quoteTable(place.schema, place.table)} LIMIT ${request.maxRows}`;
    return this.reads.query({ ...request, sql, parameters: [], isShort: true });
  }

  query(request: QueryRequest): Promise<QueryResult> {
    return this.reads.query(request);
  }

  openReading(request: ReadingRequest): Promise<Reading> {
    return this.reads.openReading(request);
  }

  private async readCatalog(sql: string, parameters: readonly unknown[]): Promise<Record<string, unknown>[]> {
    const request = { claim: catalogClaim, isShort: true, timeoutMs: catalogTimeoutMs, maxRows: mostCatalogRows };
    const { columns, rows } = await this.reads.query({ ...request, sql, parameters });
    return rows.map(row => Object.fromEntries(columns.map(({ name }, index) => [name, row[index]])));
  }
}
