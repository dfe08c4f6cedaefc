import type pg from 'pg';
import { readSettings } from '../../src/config/settings.js';
import { Egress } from '../../src/egress/egress.js';
import { type CompiledStatement } from '../../src/metrics/plan/sql-assembly.js';
import { type Engines, fillRows } from '../../src/metrics/translate/fill-rows.js';
import { type ForeignDialect } from '../../src/metrics/translate/target-dialect.js';
import { clickHouseKind } from '../../src/warehouse/clients/clickhouse/clickhouse-kind.js';
import { mysqlKind } from '../../src/warehouse/clients/mysql/mysql-kind.js';
import { type WarehouseClient } from '../../src/warehouse/clients/warehouse.client.js';
import { type WarehouseKind } from '../../src/warehouse/clients/warehouse-kind.js';
import { DuckdbFiles } from './duckdb-files.js';
import { describeOnClickHouse, ForeignClickHouse } from './foreign-clickhouse.js';
import { hasMariaDb, MariaDb } from './mariadb.js';

/** A database that runs translated scans. Its tables are in `schema`. */
export interface ForeignEngine {
  dialect: ForeignDialect;
  schema: string;
  dsn: string;
  /** The folder of its files, for DuckDB. */
  directory?: string;
  run: (...statements: string[]) => Promise<unknown>;
  open(): Promise<WarehouseClient>;
  close(): Promise<void>;
}

/** Describes tests that need all of these databases. They are skipped with a message if one is missing; in CI they fail. */
export function describeOnEngines(name: string, tests: () => void): void {
  if (hasMariaDb()) describeOnClickHouse(name, tests);
  else describe.skip(name, tests);
}

/** Starts DuckDB, MariaDB and ClickHouse's engine, each empty. */
export async function startEngines(): Promise<ForeignEngine[]> {
  const [files, maria, house] = await Promise.all([DuckdbFiles.create(), MariaDb.start(), ForeignClickHouse.start()]);
  const egress = new Egress(readSettings({ WAREHOUSE_ALLOWED_ADDRESSES: '127.0.0.1' }));
  const opener = (kind: WarehouseKind, dsn: string) => () => kind.open({ dsn, options: {}, egress, answerMaxBytes: 67_108_864 });
  const database = 'metrics.duckdb';
  return [
    {
      dialect: 'duckdb',
      schema: 'main',
      dsn: `duckdb:///${database}`,
      directory: files.directory,
      run: (...statements) => files.run(database, ...statements),
      open: () => files.connect(`duckdb:///${database}`),
      close: () => files.remove(),
    },
    {
      dialect: 'mysql',
      schema: 'sales',
      dsn: maria.dsn(),
      run: async (...statements) => {
        for (const statement of statements) await maria.run(statement);
      },
      open: opener(mysqlKind, maria.dsn()),
      close: () => maria.remove(),
    },
    {
      dialect: 'clickhouse',
      schema: 'sales',
      dsn: house.dsn(),
      run: async (...statements) => {
        for (const statement of statements) await house.run(statement);
      },
      open: opener(clickHouseKind, house.dsn()),
      close: () => house.remove(),
    },
  ];
}

/** Returns a function that computes the constants of statements on PostgreSQL. */
export function computingOn(postgres: pg.Client): Engines['compute'] {
  return async statements => {
    const rows: unknown[][] = [];
    for (const { sql, parameters } of statements)
      rows.push((await postgres.query<unknown[]>({ text: sql, values: parameters, rowMode: 'array' })).rows[0]!);
    return rows;
  };
}

/** Runs the scans of a compiled statement on a foreign client, and the rest on PostgreSQL. Returns the rows. */
export async function runTranslated(
  statement: CompiledStatement,
  dialect: ForeignDialect,
  client: WarehouseClient,
  postgres: pg.Client,
): Promise<(string | null)[][]> {
  const [filled] = await fillRows([statement], {
    dialect,
    compute: computingOn(postgres),
    query: request => client.query({ claim: { caller: 1 }, timeoutMs: 20_000, ...request }),
  });
  const { sql, parameters } = filled!;
  return (await postgres.query<(string | null)[]>({ text: sql, values: parameters, rowMode: 'array' })).rows;
}
