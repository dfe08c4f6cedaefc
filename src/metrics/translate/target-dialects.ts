import { clickhouse } from './clickhouse.js';
import { duckdb } from './duckdb.js';
import { mysql } from './mysql.js';
import { type ForeignDialect, type TargetDialect, valueTypeOf } from './target-dialect.js';

export const targetDialects: Readonly<Record<ForeignDialect, TargetDialect>> = { mysql, duckdb, clickhouse };

/** Whether a database can read values of a PostgreSQL type, given as a catalogue gives it. */
export function isReadable(type: string, dialect: ForeignDialect): boolean {
  const value = valueTypeOf(type);
  if (value.kind === 'float') return targetDialects[dialect].floatToDecimal({ ...value, sql: '' }) !== null;
  return value.kind !== 'other';
}
