import { availableParallelism } from 'node:os';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ApiError } from '../../common/errors/api-error.js';
import { type Claim, FairShare } from '../../common/turns/fair-share.js';
import { Settings } from '../../config/settings.js';
import { withinBytes } from '../../database/byte-budget.js';
import { DatabaseLink } from '../../database/database-link.js';
import { DatabaseAccess } from '../../database/roles/database-access.js';
import { type WatchedPool } from '../../database/watched-pool.js';
import {
  type ConnectionTest,
  type NameProblem,
  type QueryRequest,
  type QueryResult,
  type TableDescription,
  type TableSummary,
  type WarehouseClient,
} from '../clients/warehouse.client.js';
import { CappedQuery } from './capped-query.js';
import { tableNameProblem } from './csv/csv-header.js';
import { MirrorCatalog } from './mirror-catalog.js';
import { mirrorSchema } from './mirror-schema.js';
import { toReadError } from './read-errors.js';
import { WarehouseBusyError } from '../warehouse.errors.js';

const lockTimeoutMs = 5_000;
const share = { waitingPerCaller: 32, waiting: 200, patienceMs: 30_000 };
const placesOfShortReads = 4;
const testTimeoutMs = 5_000;

/**
 * The number of metrics and look-ups that are read at once. Beside the embedded server each keeps a core of this machine busy, so
 * more than twice as many as there are cores would leave nothing to logins.
 */
export function readsAtOnce({ databaseUrl, warehousePoolSize }: Settings): number {
  return databaseUrl === undefined ? Math.min(warehousePoolSize, Math.max(4, 2 * availableParallelism())) : warehousePoolSize;
}

/**
 * The tables of schema `mirror` in the service's own database. SQL runs as a login that may only read them, in a read-only
 * transaction that is always rolled back. It has its own pool, so that a slow metric cannot take the connections that logins need.
 * The extended protocol carries at most one statement, whatever the text says.
 */
@Injectable()
export class MirrorClient implements WarehouseClient, OnApplicationShutdown {
  readonly schema = mirrorSchema;
  readonly local: { role: string };
  private readonly pool: WatchedPool;
  private readonly reads: FairShare;
  private readonly shortReads: FairShare;
  private readonly maxBytes: number;

  constructor(
    link: DatabaseLink,
    access: DatabaseAccess,
    settings: Settings,
    private readonly catalog: MirrorCatalog,
  ) {
    const places = readsAtOnce(settings);
    this.local = { role: access.nameOf('mirror') };
    this.maxBytes = settings.answerMaxBytes;
    this.pool = link.open('mirror reader', {
      connectionString: access.mirror,
      max: places + placesOfShortReads,
      connectionTimeoutMillis: 8_000,
      idle_in_transaction_session_timeout: 60_000,
    });
    const refuse = (retryAfterS: number): WarehouseBusyError => new WarehouseBusyError(retryAfterS);
    this.reads = new FairShare({ ...share, places, refuse });
    this.shortReads = new FairShare({ ...share, places: placesOfShortReads, refuse });
  }

  async test(claim: Claim): Promise<ConnectionTest> {
    const { rows } = await this.query({
      sql: `SELECT current_setting('server_version'), current_user::text, current_setting('transaction_read_only') = 'on',
              has_schema_privilege($1, 'CREATE')`,
      parameters: [this.schema],
      timeoutMs: testTimeoutMs,
      maxRows: 1,
      claim,
      isShort: true,
    });
    const [serverVersion, user, isReadOnly, canWrite] = rows[0] as [string, string, boolean, boolean];
    return { serverVersion, user, isReadOnly, canWrite };
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

  nameProblem(table: string): NameProblem | null {
    return tableNameProblem(table);
  }

  query(request: QueryRequest): Promise<QueryResult> {
    return (request.isShort ? this.shortReads : this.reads).run(request.claim, () => this.queryNow(request));
  }

  private async queryNow({
    sql,
    parameters,
    timeoutMs,
    maxRows,
    maxBytes = this.maxBytes,
    source = 'rows',
  }: QueryRequest): Promise<QueryResult> {
    const client = await this.pool.connect().catch((cause: unknown) => {
      throw toReadError(cause, timeoutMs);
    });
    let broken: Error | boolean = false;
    try {
      await client.query(begin(timeoutMs));
      const run = () => CappedQuery.run(client, sql, parameters, maxRows);
      const { result, bytes } = await withinBytes(client, { limitBytes: maxBytes, source }, run);
      return { ...result, bytes };
    } catch (cause) {
      throw cause instanceof ApiError ? cause : toReadError(cause, timeoutMs);
    } finally {
      await client.query('ROLLBACK').catch((failure: Error) => (broken = failure));
      client.release(broken);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}

/** Makes a read harmless in one round trip. All of it ends with the transaction. */
function begin(timeoutMs: number): string {
  const limit = Math.max(1, Math.min(Math.ceil(timeoutMs), 2_147_483_647));
  return `
    BEGIN READ ONLY;
    SET LOCAL search_path = pg_catalog, ${mirrorSchema}, pg_temp;
    SET LOCAL statement_timeout = ${limit};
    SET LOCAL lock_timeout = ${lockTimeoutMs};
    SET LOCAL DateStyle = 'ISO, YMD';
    SET LOCAL TimeZone = 'UTC'`;
}
