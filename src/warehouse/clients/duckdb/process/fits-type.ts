import { type DuckDBConnection } from '@duckdb/node-api';

/**
 * SQL that tells whether each value of a column of texts is the very text that DuckDB writes for it as a value of the type. Then reading the
 * column as the type changes no value.
 */
export function fits(column: string, type: string): string {
  return `count(${column}) = count(CASE WHEN ${isExact(column, type)} THEN 1 END)`;
}

/**
 * Fewer digits than these never lose any in a double. Longer whole numbers may be rounded. Decimals were rounded before, when the JSON was
 * parsed, see rounded-keys.ts.
 */
const digitsOfDouble = 16;

function isExact(value: string, type: string): string {
  if (type === 'DOUBLE') return `strlen(${value}) < ${digitsOfDouble} OR contains(${value}, '.') OR contains(${value}, 'e')`;
  if (type === 'DOUBLE[]') return `len(list_filter(${value}, lambda e: NOT (${isExact('e', 'DOUBLE')}))) = 0`;
  const cast = `TRY_CAST(${value} AS ${type})::VARCHAR = ${value}`;
  // `infinity` is a date of DuckDB too, which a reader with `dateformat` takes for 1900-01-01.
  return type === 'DATE' ? `regexp_full_match(${value}, '\\d{4}-\\d\\d-\\d\\d') AND ${cast}` : cast;
}

export async function rowsOf(connection: DuckDBConnection, sql: string): Promise<Record<string, unknown>[]> {
  return (await connection.runAndReadAll(sql)).getRowObjects();
}
