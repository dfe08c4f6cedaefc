import { type PoolClient } from 'pg';
import { type Incremental } from '../mapping/mapping.js';
import { sourceFamily } from '../staging/source-type.js';

/**
 * The start of an incremental read. `value` is the last cursor, as text in the cursor's type. The read begins `lag` before it, in
 * milliseconds or units.
 */
export interface CursorFrom {
  value: string;
  lag: number;
}

const ranges: Record<string, [min: bigint, max: bigint]> = {
  smallint: [-(2n ** 15n), 2n ** 15n - 1n],
  integer: [-(2n ** 31n), 2n ** 31n - 1n],
  bigint: [-(2n ** 63n), 2n ** 63n - 1n],
};
/** A margin that is larger than the largest offset of a time zone plus the day that a cast to `date` cuts off. */
const marginOfZones = '2 days';
const hasZone = /:\d\d(\.\d+)?[+-]\d\d(:\d\d)*$/;

/**
 * A lower bound for the rows that the source must send, in the cursor column's own type. All rows that meet the run's exact condition are
 * at or above the bound. Null if the bound is not simple to compute; the source then sends all rows.
 * @param columnType the type as the client describes it
 */
export async function cursorBound(
  client: PoolClient,
  type: Incremental['type'],
  columnType: string,
  { value, lag }: CursorFrom,
): Promise<string | null> {
  const range = ranges[columnType];
  const isCount = type === 'int' || type === 'bigint';
  if (range && isCount && /^\s*[+-]?\d+\s*$/.test(value)) return clamped(BigInt(value) - BigInt(Math.ceil(lag)), range);
  const family = sourceFamily(columnType);
  if (isCount || (family !== 'date' && family !== 'timestamp' && family !== 'timestamptz')) return null;
  // Casts to days and conversions of time zones shift a value by less than the margin. A timestamp with a zone, compared with a column of
  // timestamps with zones, is not shifted, so it needs no margin.
  const margin = family === 'timestamptz' && type === 'datetime' && hasZone.test(value) ? '0' : marginOfZones;
  const { rows } = await client.query<{ bound: string }>(
    `SELECT to_char(($1::text::timestamptz - $2::interval - $3::interval) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US BC') AS bound`,
    [value, `${lag} ms`, margin],
  );
  // Excludes infinity, times before our era, and years that to_char does not write with four digits.
  const [, bound] = /^(\d{4}-.*) AD$/.exec(rows[0]?.bound ?? '') ?? [];
  if (bound === undefined) return null;
  if (family === 'date') return bound.slice(0, 10);
  return family === 'timestamptz' ? `${bound}+00` : bound;
}

/**
 * Limits a bound to the range of the column's type, because a larger number would be an error in the source. Null for a bound below the
 * range, which excludes no row.
 */
function clamped(value: bigint, [min, max]: [bigint, bigint]): string | null {
  if (value < min) return null;
  return String(value > max ? max : value);
}
