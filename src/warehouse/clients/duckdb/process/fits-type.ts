import { type DuckDBConnection } from '@duckdb/node-api';

/**
 * SQL that checks a column of texts: whether DuckDB would write each value, cast to `type`, as exactly the same text. If so, reading the
 * column as `type` changes no value.
 */
export function fits(column: string, type: string): string {
  return `count(${column}) = count(CASE WHEN ${isExact(column, type)} THEN 1 END)`;
}

/**
 * A whole number with fewer characters than this is exact as a double; a longer one may be rounded. Decimals pass here: if they were
 * rounded, it was when the JSON was parsed, and `roundedKeys` finds them.
 */
const digitsOfDouble = 16;

function isExact(value: string, type: string): string {
  if (type === 'DOUBLE') return `strlen(${value}) < ${digitsOfDouble} OR contains(${value}, '.') OR contains(${value}, 'e')`;
  if (type === 'DOUBLE[]') return `len(list_filter(${value}, lambda e: NOT (${isExact('e', 'DOUBLE')}))) = 0`;
  const cast = `TRY_CAST(${value} AS ${type})::VARCHAR = ${value}`;
  // DuckDB also casts `infinity` to a date, but its reader with `dateformat` would turn the text into 1900-01-01.
  return type === 'DATE' ? `regexp_full_match(${value}, '\\d{4}-\\d\\d-\\d\\d') AND ${cast}` : cast;
}

export async function rowsOf(connection: DuckDBConnection, sql: string): Promise<Record<string, unknown>[]> {
  return (await connection.runAndReadAll(sql)).getRowObjects();
}
