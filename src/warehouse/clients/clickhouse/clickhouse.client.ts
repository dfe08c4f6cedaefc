import { addAbortSignal } from 'node:stream';
import { type Claim } from '../../../common/turns/fair-share.js';
import { mapInTurns } from '../../../common/turns/pace.js';
import { TableNotFoundError } from '../../warehouse.errors.js';
import { placesOf, shareAmongCallers } from '../connection-places.js';
import { type Reached } from '../connection-failure.js';
import { inStages } from '../connection-stage.js';
import { knownDsn } from '../dsn.js';
import {
  type ConnectionTest,
  type QueryRequest,
  type QueryResult,
  type Reading,
  type ReadingRequest,
  type SampleRequest,
  type TablePlace,
  type WarehouseClient,
} from '../warehouse.client.js';
import { type ClientConfig } from '../warehouse-kind.js';
import { ClickHouseCatalog } from './clickhouse-catalog.js';
import { clickHouseDsn } from './clickhouse-dsn.js';
import { ClickHouseReading } from './clickhouse-reading.js';
import { ClickHouseTransport, type Statement } from './clickhouse-transport.js';
import { RowDocuments } from '../read-document.js';
import { quoteName } from './quote-name.js';
import { readableTypeOf } from './readable-type.js';
import { toReadError } from './read-errors.js';
import { readTextRows, type TextRows, toJsonValue } from './row-values.js';
import { testClickHouse } from './test-clickhouse.js';
import { withoutLength } from '../../../sql/without-length.js';

const poolMax = 6;
const catalogTimeoutMs = 10_000;
const longestConnectOfTestMs = 3_500;
const testTimeoutMs = 4_000;
const testGraceMs = 500;
/** The most bytes of an answer of the catalogue; the catalogue of the largest servers has fewer. */
const catalogBytes = 16_777_216;

interface BoundedStatement extends Statement {
  maxBytes: number;
  source?: QueryRequest['source'];
  /** Ends the statement when it aborts. */
  signal?: AbortSignal;
}

/** The tables of one database of a ClickHouse server. Placeholders in its SQL are `{p1:String}`, `{p2:Int64}` and so on. */
export class ClickHouseWarehouse implements WarehouseClient {
  readonly dialect = 'clickhouse';
  readonly local = null;
  readonly schema: string;
  private readonly share: ReturnType<typeof shareAmongCallers>;

  constructor(
    private readonly transport: ClickHouseTransport,
    private readonly config: ClientConfig,
  ) {
    this.schema = knownDsn(config.dsn, clickHouseDsn).database;
    this.share = shareAmongCallers(placesOf(config.options.pool_max ?? poolMax));
  }

  place(table: string): TablePlace {
    return { schema: this.schema, table };
  }

  nameProblem(): null {
    return null;
  }

  /**
   * Tests with a shorter time limit for connecting than other reads have, so that a failure to connect is not reported as a failure of the
   * server.
   */
  test(claim: Claim, reached?: Reached): Promise<ConnectionTest> {
    return inStages(reached => this.testInStages(claim, reached), reached);
  }

  private async testInStages(claim: Claim, reached: Reached): Promise<ConnectionTest> {
    const { options } = this.config;
    let isIn = false;
    const connect_timeout_ms = Math.min(options.connect_timeout_ms ?? Infinity, longestConnectOfTestMs);
    const transport = await ClickHouseTransport.open(
      { ...this.config, options: { ...options, connect_timeout_ms } },
      // Each statement connects and logs in anew, so only the first one reports its stages.
      stage => isIn || reached(stage),
    );
    const statement = { timeoutMs: testTimeoutMs, graceMs: testGraceMs, maxBytes: catalogBytes };
    const read = async (sql: string, settings = {}): Promise<Record<string, string | null>[]> => {
      const records = await toRecords(await this.read({ sql, settings, ...statement }, transport));
      isIn = true;
      reached('rights');
      return records;
    };
    try {
      return await this.share.shortQueries.run(claim, () => testClickHouse(read, this.schema));
    } finally {
      await transport.close();
    }
  }

  catalog(claim: Claim): ClickHouseCatalog {
    return new ClickHouseCatalog((sql, parameters) => this.readCatalog(claim, sql, parameters), this.schema);
  }

  async sample({ claim, table, maxRows, timeoutMs }: SampleRequest): Promise<QueryResult> {
    const description = await this.catalog(claim).describe(table);
    if (!description) throw new TableNotFoundError();
    // The expressions have no aliases, because an alias could be the name of another column.
    const columns = description.columns.map(({ name, nativeType }) => {
      const { read, show = read } = readableTypeOf(nativeType);
      return show(quoteName(name));
    });
    const sql = `SELECT ${columns.join(', ')} FROM ${quoteName(this.schema)}.${quoteName(table)} LIMIT ${maxRows}`;
    const { rows, bytes } = await this.share.shortQueries.run(claim, () =>
      this.read({ sql, timeoutMs, maxBytes: this.config.answerMaxBytes }),
    );
    return toResult(
      description.columns.map(({ name, type }) => ({ name, type })),
      rows,
      bytes,
      maxRows,
    );
  }

  async query({
    claim,
    isShort,
    sql,
    parameters,
    timeoutMs,
    maxRows,
    maxBytes = this.config.answerMaxBytes,
    source,
  }: QueryRequest): Promise<QueryResult> {
    const { names, types, rows, bytes } = await (isShort ? this.share.shortQueries : this.share.queries).run(claim, () =>
      this.read({
        sql,
        parameters: Object.fromEntries(parameters.map((value, index) => [`p${index + 1}`, value])),
        settings: { limit: maxRows + 1 },
        timeoutMs,
        maxBytes,
        ...(source && { source }),
        ...(claim.signal && { signal: claim.signal }),
      }),
    );
    const typed = await mapInTurns(types, queryType);
    const columns = names.map((name, index) => ({ name, type: typed[index]! }));
    return toResult(columns, rows, bytes, maxRows);
  }

  async openReading({ claim, timeoutMs, signal }: ReadingRequest): Promise<Reading> {
    const leave = await this.share.readings.enter(signal ? { ...claim, signal } : claim);
    const options = { caller: claim.caller, timeoutMs: this.limitOf(timeoutMs), signal, leave };
    return new ClickHouseReading(this.transport, this.catalog(claim), this.schema, options);
  }

  /** Closes nothing: every statement has a connection of its own, which ends with the statement. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  private async readCatalog(claim: Claim, sql: string, parameters: Record<string, unknown>): Promise<Record<string, string | null>[]> {
    const statement = { sql, parameters, timeoutMs: catalogTimeoutMs, maxBytes: catalogBytes };
    return toRecords(await this.share.shortQueries.run(claim, () => this.read(statement)));
  }

  private async read({ maxBytes, source = 'rows', signal, ...statement }: BoundedStatement, transport = this.transport): Promise<TextRows> {
    const timeoutMs = this.limitOf(statement.timeoutMs);
    try {
      const answer = await transport.send({ ...statement, timeoutMs, withHeader: true }, signal);
      return await readTextRows(signal ? addAbortSignal(signal, answer) : answer, maxBytes, source);
    } catch (cause) {
      signal?.throwIfAborted();
      throw toReadError(cause, timeoutMs);
    }
  }

  private limitOf(timeoutMs: number): number {
    return Math.max(1, Math.min(Math.ceil(timeoutMs), this.config.options.statement_timeout_ms ?? Infinity));
  }
}

/**
 * The type of a result column as the catalogue spells it, without its length. Lists and documents come as ClickHouse's own text, so their
 * type is `other`.
 */
function queryType(nativeType: string): string {
  const type = withoutLength(readableTypeOf(nativeType).type);
  return type.endsWith('[]') || type === 'jsonb' ? 'other' : type;
}

async function toResult(columns: QueryResult['columns'], rows: TextRows['rows'], bytes: number, maxRows: number): Promise<QueryResult> {
  const documents = new RowDocuments();
  const toValues = (row: TextRows['rows'][number]): unknown[] => {
    documents.nextRow();
    return row.map((value, index) => toJsonValue(columns[index]!.type, value, documents));
  };
  return {
    columns: columns.map(({ name, type }) => ({ name, type: withoutLength(type) })),
    rows: await mapInTurns(rows.slice(0, maxRows), toValues),
    truncated: rows.length > maxRows,
    bytes,
  };
}

function toRecords({ names, rows }: TextRows): Promise<Record<string, string | null>[]> {
  return mapInTurns(rows, row => Object.fromEntries(names.map((name, index) => [name, row[index] ?? null])));
}
