import { type PoolClient } from 'pg';
import { type Incremental } from '../mapping/mapping.js';
import { sourceFamily } from '../staging/source-type.js';

/** The start of an incremental read, as text in the cursor's type, and how far before it to begin (milliseconds or units). */
export interface CursorFrom {
  value: string;
  lag: number;
}

const ranges: Record<string, [min: bigint, max: bigint]> = {
  smallint: [-(2n ** 15n), 2n ** 15n - 1n],
  integer: [-(2n ** 31n), 2n ** 31n - 1n],
  bigint: [-(2n ** 63n), 2n ** 63n - 1n],
};
/** More than the farthest time zone and a day that a date cuts off. */
const marginOfZones = '2 days';
const hasZone = /:\d\d(\.\d+)?[+-]\d\d(:\d\d)*$/;

/**
 * A value of a column's own type before which the source need not send rows: at or below every one that the run's exact condition
 * admits. Null if it cannot be computed simply; the source then sends all rows.
 * @param columnType as the client describes it
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
  // Days and zones shift a value by less than the margin. A moment that is compared with moments is not shifted.
  const margin = family === 'timestamptz' && type === 'datetime' && hasZone.test(value) ? '0' : marginOfZones;
  const { rows } = await client.query<{ bound: string }>(
    `SELECT to_char(($1::text::timestamptz - $2::interval - $3::interval) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') AS bound`,
    [value, `${lag} ms`, margin],
  );
  const bound = rows[0]?.bound ?? '';
  // Excludes infinity, and years that to_char writes in another way.
  if (!/^\d{4}-/.test(bound)) return null;
  if (family === 'date') return bound.slice(0, 10);
  return family === 'timestamptz' ? `${bound}+00` : bound;
}

/** A text outside of the type would be an error of the source. */
function clamped(value: bigint, [min, max]: [bigint, bigint]): string | null {
  if (value < min) return null;
  return String(value > max ? max : value);
}
