import { type Claim } from '../../../common/turns/fair-share.js';
import { TableNotFoundError } from '../../warehouse.errors.js';
import { placesOf } from '../connection-places.js';
import { type Reached } from '../connection-failure.js';
import { type Dsn } from '../dsn.js';
import {
  type ConnectionTest,
  type QueryRequest,
  type QueryResult,
  type Reading,
  type ReadingRequest,
  type SampleRequest,
  type TableCatalog,
  type TablePlace,
  type WarehouseClient,
} from '../warehouse.client.js';
import { type ClientConfig, type ConnectionOptions } from '../warehouse-kind.js';
import { type MysqlDriver, type MysqlPlace } from './mysql-connection.js';
import { MysqlConnections } from './mysql-connections.js';
import { MysqlReads } from './mysql-reads.js';
import { quoteMysqlIdentifier } from './quote-mysql-identifier.js';
import { testMysql } from './test-mysql.js';

const poolMax = 6;
const connectMs = 5_000;
const longestConnectOfTestMs = 3_500;
const testTimeoutMs = 4_000;

/** The connection's option `ssl_mode` by the value of `ssl-mode`, as MySQL's own tools write it. */
const sslModes: Record<string, ConnectionOptions['ssl_mode']> = {
  disabled: 'disable',
  preferred: 'prefer',
  required: 'require',
  verify_identity: 'verify-full',
};

/** The tables of one database of a MySQL or MariaDB server. */
export class MysqlClient implements WarehouseClient {
  readonly dialect = 'mysql';
  readonly local = null;
  private readonly server: MysqlPlace;
  private readonly connections: MysqlConnections;
  private readonly reads: MysqlReads;

  constructor(
    private readonly config: ClientConfig,
    dsn: Dsn,
    driver: MysqlDriver,
  ) {
    const { options, egress } = config;
    this.server = {
      driver,
      egress,
      dsn,
      sslMode: options.ssl_mode ?? sslModes[dsn.parameters['ssl-mode']?.toLowerCase() ?? ''] ?? 'verify-full',
      connectTimeoutMs: options.connect_timeout_ms ?? (Number(dsn.parameters.connect_timeout ?? 0) * 1000 || connectMs),
    };
    this.connections = new MysqlConnections(this.server);
    this.reads = this.readsOn(this.connections, options.pool_max ?? poolMax);
  }

  get schema(): string {
    return this.server.dsn.database;
  }

  place(table: string): TablePlace {
    return this.reads.place(table);
  }

  /** Tests with a new connection, since an open connection may be older than the settings that are tested. */
  async test(claim: Claim, reached?: Reached): Promise<ConnectionTest> {
    const connectTimeoutMs = Math.min(this.server.connectTimeoutMs, longestConnectOfTestMs);
    const connections = new MysqlConnections({ ...this.server, connectTimeoutMs, ...(reached && { reached }) });
    const reads = this.readsOn(connections, 4);
    const read = async (sql: string): Promise<unknown[][]> =>
      (await reads.query({ claim, isShort: true, sql, parameters: [], timeoutMs: testTimeoutMs, maxRows: 10_000 })).rows;
    try {
      const [[version] = []] = await read('SELECT VERSION()');
      return await testMysql({ isMariaDb: /mariadb/i.test(String(version)), database: this.schema, catalog: reads.catalog(claim), read });
    } finally {
      await connections.close();
    }
  }

  catalog(claim: Claim): TableCatalog {
    return this.reads.catalog(claim);
  }

  nameProblem(): null {
    return null;
  }

  async sample({ table, ...request }: SampleRequest): Promise<QueryResult> {
    const description = await this.catalog(request.claim).describe(table);
    if (!description) throw new TableNotFoundError();
    const columns = description.columns.map(({ name }) => quoteMysqlIdentifier(name)).join(', ');
    const from = `${quoteMysqlIdentifier(this.schema)}.${quoteMysqlIdentifier(table)}`;
    const sql = `SELECT ${columns} FROM ${from} LIMIT ${request.maxRows}`;
    return this.reads.query({ ...request, sql, parameters: [], isShort: true });
  }

  /** Runs SQL whose parameters are written `?`. */
  query(request: QueryRequest): Promise<QueryResult> {
    return this.reads.query(request);
  }

  openReading(request: ReadingRequest): Promise<Reading> {
    return this.reads.openReading(request);
  }

  close(): Promise<void> {
    return this.connections.close();
  }

  private readsOn(connections: MysqlConnections, places: number): MysqlReads {
    const { answerMaxBytes, options } = this.config;
    const bounds = { maxBytes: answerMaxBytes, maxTimeoutMs: options.statement_timeout_ms };
    return new MysqlReads({ connections, database: this.schema, places: placesOf(places), ...bounds });
  }
}
