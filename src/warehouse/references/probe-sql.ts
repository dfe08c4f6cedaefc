import { quoteIdentifier } from '../../sql/quote-identifier.js';
import { quoteName } from '../clients/clickhouse/quote-name.js';
import { quoteMysqlIdentifier } from '../clients/mysql/quote-mysql-identifier.js';
import { type TableColumn, type WarehouseClient, type WarehouseDialect } from '../clients/warehouse.client.js';
import { keyKind } from './key-kind.js';

/** Maximum number of distinct values that are looked up. */
export const sampledValues = 1_000;

type Place = Pick<WarehouseClient, 'dialect' | 'place'>;

/** SQL that compares texts byte by byte, regardless of their database's collation: keys of a graph are compared in the same way. */
const textIn: Record<WarehouseDialect, (column: string) => string> = {
  postgres: column => `CAST(${column} AS text)`,
  duckdb: column => `CAST(${column} AS varchar)`,
  mysql: column => `CAST(CONVERT(${column} USING utf8mb4) AS BINARY)`,
  clickhouse: column => `toString(${column})`,
};

const quoteIn: Record<WarehouseDialect, (name: string) => string> = {
  postgres: quoteIdentifier,
  duckdb: quoteIdentifier,
  mysql: quoteMysqlIdentifier,
  clickhouse: quoteName,
};

/**
 * SQL with three counts: all rows of a table, the rows that have a value in each of the columns, and the distinct values among these rows.
 * @param sample maximum number of rows to read; null for all rows
 */
export function countKeySql(client: Place, table: string, columns: TableColumn[], sample: number | null): string {
  const values = columns.map(column => valueSql(client, column));
  const whole = tableSql(client, table);
  const rows = values.map((value, index) => `${value} AS k${index}`).join(', ');
  const from = `(SELECT ${rows} FROM ${whole}${sample === null ? '' : ` LIMIT ${sample}`}) AS s`;
  if (values.length === 1) return `SELECT count(*), count(k0), count(DISTINCT k0) FROM ${from}`;
  const names = values.map((_, index) => `k${index}`);
  const filled = names.map(name => `${name} IS NOT NULL`).join(' AND ');
  return `SELECT (SELECT count(*) FROM ${from}), (SELECT count(*) FROM ${from} WHERE ${filled}),
    (SELECT count(*) FROM (SELECT DISTINCT ${names.join(', ')} FROM ${from} WHERE ${filled}) AS d)`;
}

/** SQL that takes at most `sampledValues` distinct values of a column and counts them, and those of them that are keys of another table. */
export function overlapSql(
  client: Place,
  from: { table: string; column: TableColumn },
  to: { table: string; column: TableColumn },
): string {
  const value = valueSql(client, from.column);
  const key = valueSql(client, to.column);
  return `WITH s AS (SELECT DISTINCT ${value} AS v FROM ${tableSql(client, from.table)} WHERE ${value} IS NOT NULL LIMIT ${sampledValues})
    SELECT (SELECT count(*) FROM s),
      (SELECT count(*) FROM s WHERE v IN (SELECT ${key} FROM ${tableSql(client, to.table)} WHERE ${key} IS NOT NULL))`;
}

/** SQL for a value. An empty text counts as NULL, as it does in a mapping. */
function valueSql({ dialect }: Place, column: TableColumn): string {
  const name = quoteIn[dialect](column.name);
  return keyKind(column) === 'text' ? `NULLIF(${textIn[dialect](name)}, '')` : name;
}

function tableSql(client: Place, name: string): string {
  const quote = quoteIn[client.dialect];
  const { schema, table } = client.place(name);
  return `${quote(schema)}.${quote(table)}`;
}
