import { Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { type SnapshotQuery } from '../warehouse/clients/postgres/postgres-reads.js';
import { type QueryResult } from '../warehouse/clients/warehouse.client.js';
import { type UsableConnection, WarehouseService } from '../warehouse/warehouse.service.js';
import { typeChanges } from './binding/column-changes.js';
import { type CheckedStatement, type MetricReads } from './checked-reads.js';
import { type CostEstimate, type PlanStep } from './estimate-cost.js';
import { BindingOutdatedError } from './metrics.errors.js';
import { type BoundTable } from './plan/metric-binding.js';
import { type CompiledStatement } from './plan/sql-assembly.js';
import { bindScans, type Engines, fillRows } from './translate/fill-rows.js';
import { type Explain, type NameTable, readPlan, rowsRead } from './translate/read-plan.js';
import { type ForeignDialect } from './translate/target-dialect.js';

/** Maximum lines of a plan that are read; no plan has as many. */
const mostPlanRows = 10_000;

/**
 * Runs metrics whose rows are in a database other than PostgreSQL. That database groups the rows in its own SQL. The service's own
 * PostgreSQL computes the result from the groups, so that every number has the digits that PostgreSQL gives.
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
    await this.requireTypes(connection, dialect, metric);
    const { client } = connection;
    const filled = await fillRows(statements, {
      dialect,
      compute: this.computing(connection, metric),
      query: statement => client.query({ ...this.boundsOf(connection), ...statement }),
    });
    return this.here(connection, metric, async query => {
      const results: QueryResult[] = [];
      for (const { sql, parameters, maxRows } of filled) results.push(await query({ sql, parameters, maxRows }));
      return results;
    });
  }

  /**
   * Asks the other database for the plans of the scans. No rows are read.
   * @throws as `run`, except errors that only reading rows can cause
   */
  async estimate(
    connection: UsableConnection,
    dialect: ForeignDialect,
    metric: MetricReads,
    statements: readonly CompiledStatement[],
  ): Promise<CostEstimate> {
    await this.requireTypes(connection, dialect, metric);
    const plans: PlanStep[] = [];
    for await (const { statement } of bindScans(statements, { dialect, compute: this.computing(connection, metric) })) {
      const explain: Explain = async explaining => {
        const request = { ...this.boundsOf(connection), ...statement, sql: `${explaining}${statement.sql}`, maxRows: mostPlanRows };
        const { columns, rows } = await connection.client.query(request);
        return rows.map(row => Object.fromEntries(columns.map(({ name }, index) => [name, row[index]])));
      };
      plans.push(await readPlan[dialect](explain, dialect === 'mysql' ? tableByAlias(metric.tables) : tableByName(metric.tables)));
    }
    return { rows: rowsRead(plans), cost: null, plans };
  }

  private async requireTypes(connection: UsableConnection, dialect: ForeignDialect, { reads }: MetricReads): Promise<void> {
    const changes = await typeChanges(reads, connection);
    if (changes.length > 0 || connection.client.dialect !== dialect) throw new BindingOutdatedError(changes);
  }

  private boundsOf({ claim }: UsableConnection) {
    return { claim, timeoutMs: this.settings.warehouseTimeoutMs, source: 'metric' as const };
  }

  /** Computes the constants of the scans in the service's own PostgreSQL. They are needed before the scans run. */
  private computing(connection: UsableConnection, metric: MetricReads): Engines['compute'] {
    return constants =>
      this.here(connection, metric, async query => {
        const rows: unknown[][] = [];
        for (const statement of constants) rows.push((await query({ ...statement, maxRows: 1 })).rows[0]!);
        return rows;
      });
  }

  /** Runs `work` in the service's own database, as the role that may only read the mirror. */
  private here<T>({ claim }: UsableConnection, { timezone }: MetricReads, work: (query: SnapshotQuery) => Promise<T>): Promise<T> {
    const timeoutMs = this.settings.warehouseTimeoutMs;
    return this.warehouse.mirror.snapshot({ claim, tables: [], timeZone: timezone, timeoutMs, source: 'metric' }, work);
  }
}

function tableByName(tables: readonly BoundTable[]): NameTable {
  const names = new Set(tables.map(({ source }) => ('table' in source ? source.table : '')));
  return name => (names.has(name) ? name : undefined);
}

/** Finds a table by its alias, because plans of MySQL name only aliases. An alias of several tables is not resolved. */
function tableByAlias(tables: readonly BoundTable[]): NameTable {
  return alias => {
    const names = new Set(tables.flatMap(({ alias: own, source }) => (own === alias && 'table' in source ? [source.table] : [])));
    return names.size === 1 ? [...names][0] : undefined;
  };
}
