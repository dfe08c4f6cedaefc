import { availableParallelism } from 'node:os';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type AnswerSource } from '../../common/errors/answer-too-large.error.js';
import { ApiError } from '../../common/errors/api-error.js';
import { type Claim, FairShare } from '../../common/turns/fair-share.js';
import { Settings } from '../../config/settings.js';
import { withinBytes } from '../../database/byte-budget.js';
import { DatabaseLink } from '../../database/database-link.js';
import { DatabaseAccess } from '../../database/roles/database-access.js';
import { type WatchedPool } from '../../database/watched-pool.js';
import { CappedQuery, type ReadResult } from './capped-query.js';
import { toReadError } from './read-errors.js';
import { WarehouseBusyError } from '../warehouse.errors.js';

export interface ReadRequest {
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

const lockTimeoutMs = 5_000;
const share = { waitingPerCaller: 32, waiting: 200, patienceMs: 30_000 };
const placesOfShortReads = 4;

/**
 * How many metrics and look-ups are read at once. Beside the embedded server each keeps a core of this very machine busy: more than twice
 * as many as there are would leave nothing to logins.
 */
export function readsAtOnce({ databaseUrl, warehousePoolSize }: Settings): number {
  return databaseUrl === undefined ? Math.min(warehousePoolSize, Math.max(4, 2 * availableParallelism())) : warehousePoolSize;
}

/**
 * Runs SQL on the mirror with a login that reads the mirror and nothing else, in a read-only transaction that is always rolled
 * back. Its own pool: a slow metric cannot take the connections that log-ins need. The extended protocol carries one
 * statement at most, whatever the text says.
 */
@Injectable()
export class MirrorReader implements OnApplicationShutdown {
  private readonly pool: WatchedPool;
  private readonly reads: FairShare;
  private readonly shortReads: FairShare;
  private readonly maxBytes: number;

  constructor(link: DatabaseLink, access: DatabaseAccess, settings: Settings) {
    const places = readsAtOnce(settings);
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

  /** @throws WarehouseBusyError, AnswerTooLargeError, WarehouseQueryError, WarehouseTimeoutError, WarehouseUnavailableError */
  read(request: ReadRequest): Promise<ReadResult> {
    return (request.isShort ? this.shortReads : this.reads).run(request.claim, () => this.readNow(request));
  }

  private async readNow({
    sql,
    parameters,
    timeoutMs,
    maxRows,
    maxBytes = this.maxBytes,
    source = 'rows',
  }: ReadRequest): Promise<ReadResult> {
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

/** One round trip for everything a read needs to be harmless; all of it ends with the transaction. */
function begin(timeoutMs: number): string {
  const limit = Math.max(1, Math.min(Math.ceil(timeoutMs), 2_147_483_647));
  return `
    BEGIN READ ONLY;
    SET LOCAL search_path = pg_catalog, mirror, pg_temp;
    SET LOCAL statement_timeout = ${limit};
    SET LOCAL lock_timeout = ${lockTimeoutMs};
    SET LOCAL DateStyle = 'ISO, YMD';
    SET LOCAL TimeZone = 'UTC'`;
}
