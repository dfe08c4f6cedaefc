import { clickHouseKind } from '../clients/clickhouse/clickhouse-kind.js';
import { duckdbKind } from '../clients/duckdb/duckdb-kind.js';
import { mysqlKind } from '../clients/mysql/mysql-kind.js';
import { postgresKind } from '../clients/postgres/postgres-kind.js';
import { type WarehouseKind } from '../clients/warehouse-kind.js';
import { ConnectionTypeNotBuiltError } from '../warehouse.errors.js';
import { type ConnectionType } from './connection.entity.js';

/** The kinds of all implemented connection types, except for the mirror. */
const kinds: Partial<Record<ConnectionType, WarehouseKind>> = {
  postgres: postgresKind,
  mysql: mysqlKind,
  clickhouse: clickHouseKind,
  duckdb: duckdbKind,
};

export const builtTypes = ['pg_mirror', ...Object.keys(kinds)];

/** @throws ConnectionTypeNotBuiltError */
export function kindOf(type: ConnectionType): WarehouseKind {
  const kind = kinds[type];
  if (!kind) throw new ConnectionTypeNotBuiltError(type, builtTypes);
  return kind;
}
