import { Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { type SnapshotQuery } from '../warehouse/clients/postgres/postgres-reads.js';
import { type QueryResult } from '../warehouse/clients/warehouse.client.js';
import { type UsableConnection, WarehouseService } from '../warehouse/warehouse.service.js';
import { typeChanges } from './binding/column-changes.js';
import { type CheckedStatement, type MetricReads } from './checked-reads.js';
import { BindingOutdatedError } from './metrics.errors.js';
import { type CompiledStatement } from './plan/sql-assembly.js';
import { fillRows } from './translate/fill-rows.js';
import { type ForeignDialect } from './translate/target-dialect.js';

/**
 * Runs metrics whose rows are in another database than PostgreSQL. That database groups them in its own SQL, and the service's own
 * PostgreSQL computes the rest from the groups, so that every number has its digits.
 */
@Injectable()
export class TranslatedReads {
  constructor(
    private readonly warehouse: WarehouseService,
    private readonly settings: Settings,
  ) {}

  /** @throws BindingOutdatedError, the errors of `fillRows`, and those of `WarehouseClient.query` */
  async run(
    connection: UsableConnection,
    dialect: ForeignDialect,
    metric: MetricReads,
    statements: readonly (CheckedStatement & CompiledStatement)[],
  ): Promise<QueryResult[]> {
    const { client, claim } = connection;
    const changes = await typeChanges(metric.reads, connection);
    if (changes.length > 0 || client.dialect !== dialect) throw new BindingOutdatedError(changes);
    const bounds = { claim, timeoutMs: this.settings.warehouseTimeoutMs, source: 'metric' as const };
    const filled = await fillRows(statements, {
      dialect,
      compute: constants =>
        this.here(connection, metric, async query => {
          const rows: unknown[][] = [];
          for (const statement of constants) rows.push((await query({ ...statement, maxRows: 1 })).rows[0]!);
          return rows;
        }),
      query: statement => client.query({ ...bounds, ...statement }),
    });
    return this.here(connection, metric, async query => {
      const results: QueryResult[] = [];
      for (const { sql, parameters, maxRows } of filled) results.push(await query({ sql, parameters, maxRows }));
      return results;
    });
  }

  /** Works in the service's own database, as the role that may only read the mirror. */
  private here<T>({ claim }: UsableConnection, { timezone }: MetricReads, work: (query: SnapshotQuery) => Promise<T>): Promise<T> {
    const timeoutMs = this.settings.warehouseTimeoutMs;
    return this.warehouse.mirror.snapshot({ claim, tables: [], timeZone: timezone, timeoutMs, source: 'metric' }, work);
  }
}
