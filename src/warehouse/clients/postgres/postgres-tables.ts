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
  type TableCatalog,
  type TableColumn,
  type TablePlace,
} from '../warehouse.client.js';
import { mostCatalogRows, PostgresCatalog, recordsOf } from './postgres-catalog.js';
import {
  type ExportRequest,
  PostgresReads,
  type PostgresReadsOptions,
  type SnapshotQuery,
  type SnapshotRequest,
  type SnapshotRows,
} from './postgres-reads.js';
import { testPostgres } from './test-postgres.js';

const catalogTimeoutMs = 10_000;

export interface PostgresTablesOptions extends PostgresReadsOptions {
  /** The catalogue to use. By default the catalogue is read in the same way as the statements of users are run. */
  catalog?: TableCatalog;
}

/** Common part of all warehouse clients on a PostgreSQL server. */
export class PostgresTables {
  readonly dialect = 'postgres';
  readonly schema: string;
  protected readonly reads: PostgresReads;

  constructor(private readonly options: PostgresTablesOptions) {
    this.schema = options.names.first;
    this.reads = new PostgresReads(options);
  }

  place(table: string): TablePlace {
    return this.options.names.place(table);
  }

  test(claim: Claim): Promise<ConnectionTest> {
    return testPostgres(sql => this.reads.query({ ...sql, claim, isShort: true }), this.options.names);
  }

  catalog(claim: Claim): TableCatalog {
    return this.options.catalog ?? new PostgresCatalog((sql, parameters) => this.readCatalog(claim, sql, parameters), this.options.names);
  }

  async sample({ table, ...request }: SampleRequest): Promise<QueryResult> {
    const description = await this.catalog(request.claim).describe(table);
    if (!description) throw new TableNotFoundError();
    const place = this.place(table);
    // A statement that selects a column without the right to read it would fail, so such a column is shown as NULL.
    const shown = ({ name, denied }: TableColumn): string => (denied ? `NULL AS ${quoteIdentifier(name)}` : quoteIdentifier(name));
    const columns = description.columns.map(shown).join(', ');
    const sql = `SELECT ${columns} FROM ${quoteTable(place.schema, place.table)} LIMIT ${request.maxRows}`;
    return this.reads.query({ ...request, sql, parameters: [], isShort: true });
  }

  query(request: QueryRequest): Promise<QueryResult> {
    return this.reads.query(request);
  }

  /**
   * Runs several statements in one transaction, so that all of them see the same rows. The time limit of the request applies to all
   * statements together.
   * @throws as `query`
   */
  snapshot<T>(request: SnapshotRequest, work: (query: SnapshotQuery) => Promise<T>): Promise<T> {
    return this.reads.snapshot(request, work);
  }

  /** Runs a snapshot whose last statement may return any number of rows. @throws as `query` */
  export<T>(request: ExportRequest, work: (query: SnapshotQuery, rows: SnapshotRows) => Promise<T>): Promise<T> {
    return this.reads.export(request, work);
  }

  openReading(request: ReadingRequest): Promise<Reading> {
    return this.reads.openReading(request);
  }

  private async readCatalog(claim: Claim, sql: string, parameters: readonly unknown[]): Promise<Record<string, unknown>[]> {
    const request = { claim, isShort: true, timeoutMs: catalogTimeoutMs, maxRows: mostCatalogRows };
    return recordsOf(await this.reads.query({ ...request, sql, parameters }));
  }
}
