import { type Claim } from '../../../common/turns/fair-share.js';
import { type DsnForm } from '../dsn.js';
import { type Places, placesOf } from '../connection-places.js';
import { type Reached } from '../connection-failure.js';
import { inStages } from '../connection-stage.js';
import { type NameProblem } from '../../files/name-problem.js';
import { type ConnectionTest, type WarehouseClient } from '../warehouse.client.js';
import { type ClientConfig } from '../warehouse-kind.js';
import { toConnectError } from './connect-errors.js';
import { PostgresPool } from './postgres-pool.js';
import { PostgresTables, type PostgresTablesOptions } from './postgres-tables.js';
import { TableNames } from './table-names.js';

const poolMax = 6;
const longestConnectOfTestMs = 3_500;

/** The tables of a user's PostgreSQL server. */
export class PostgresClient extends PostgresTables implements WarehouseClient {
  readonly local = null;

  constructor(
    private readonly config: ClientConfig,
    private readonly form: DsnForm,
  ) {
    const places = placesOf(config.options.pool_max ?? poolMax);
    const pool = new PostgresPool(config, form, { max: places.queries + places.shortQueries + places.readings });
    super(readsOf(config, pool, places));
    this.pool = pool;
  }

  private readonly pool: PostgresPool;

  /** Tests with a new connection, since a connection of the pool may be older than the settings that are tested. */
  override test(claim: Claim, reached?: Reached): Promise<ConnectionTest> {
    return inStages(async reached => {
      const pool = new PostgresPool(this.config, this.form, { max: 1, longestConnectMs: longestConnectOfTestMs, reached });
      try {
        return await new PostgresTables(readsOf(this.config, pool, { queries: 1, shortQueries: 1, readings: 1 })).test(claim);
      } finally {
        await pool.end();
      }
    }, reached);
  }

  nameProblem(table: string): NameProblem | null {
    if (!/^pg_/i.test(this.place(table).table)) return null;
    return { type: 'reserved_name', zh: '以 pg_ 开头的表不能读取', en: 'tables whose names begin with pg_ cannot be read' };
  }

  close(): Promise<void> {
    return this.pool.retire();
  }
}

function readsOf({ options, answerMaxBytes }: ClientConfig, pool: PostgresPool, places: Places): PostgresTablesOptions {
  return {
    pool,
    places,
    names: new TableNames(options.schema_allowlist ?? ['public']),
    maxBytes: answerMaxBytes,
    toConnectError,
    ...(options.statement_timeout_ms === undefined ? {} : { maxTimeoutMs: options.statement_timeout_ms }),
  };
}
