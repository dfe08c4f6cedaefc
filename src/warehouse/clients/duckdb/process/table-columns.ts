import { type DuckDBConnection, type DuckDBType } from '@duckdb/node-api';
import { quoteTable } from '../../../../sql/quote-identifier.js';
import { type PostgresText, postgresTextOf } from './postgres-text.js';

export interface Column {
  name: string;
  nativeType: string;
  /** How values of the column are written for PostgreSQL; null if the column cannot be read. */
  text: PostgresText | null;
}

/** DuckDB's schema for bare table names, also for the views of a folder. */
export const schema = 'main';

export async function columnsOf(connection: DuckDBConnection, table: string): Promise<Column[]> {
  const statement = await connection.prepare(`SELECT * FROM ${quoteTable(schema, table)}`);
  try {
    return Array.from({ length: statement.columnCount }, (_, index) => toColumn(statement.columnName(index), statement.columnType(index)));
  } finally {
    statement.destroySync();
  }
}

export function toColumn(name: string, type: DuckDBType): Column {
  return { name, nativeType: type.alias ?? type.toString(), text: postgresTextOf(type) };
}
