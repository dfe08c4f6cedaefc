import { type PoolClient } from 'pg';
import { RunFailure } from '../../common/errors/run-failure.js';
import { quoteIdentifier } from '../../sql/quote-identifier.js';

const units: Record<string, string> = { ms: 'milliseconds', s: 'seconds', m: 'minutes', h: 'hours', d: 'days' };

/** Matches a lag: how far before the last cursor a copy begins to read. It is a number, or a time such as `5m`. */
export const lagPattern = /^(\d{1,9})(ms|s|m|h|d)?$/;

const finite: Record<'number' | 'time', (column: string) => string> = {
  number: column => `${column}::numeric NOT IN ('NaN', 'Infinity', '-Infinity')`,
  time: column => `isfinite(${column})`,
};

/**
 * The family of a cursor's type. The lag of a whole or decimal number is a number, and the lag of a date or time is a duration. Null for
 * other types, because their order differs between databases.
 */
export function cursorFamily(type: string): 'number' | 'time' | null {
  if (/^(smallint|integer|bigint|numeric(\(.*\))?)$/.test(type)) return 'number';
  return /^(date|timestamp(\(\d\))?|timestamptz(\(\d\))?)$/.test(type) ? 'time' : null;
}

/** The failure if a column cannot be a cursor, or cannot have this lag; null if it can. */
export function findCursorFailure(column: string, type: string, lag: string | null): RunFailure | null {
  const family = cursorFamily(type);
  if (family === null) {
    return new RunFailure(
      'cursor_type',
      {
        zh: `列 '${column}' 的类型是 ${type}，不能作游标；游标须是整数、numeric、日期或时间`,
        en: `the column '${column}' is ${type} and no cursor; a cursor is a whole or exact number, a date or a time`,
      },
      { column, type },
    );
  }
  const unit = lag === null ? undefined : lagPattern.exec(lag)?.[2];
  if (lag === null || lag === '0' || (family === 'time') === (unit !== undefined)) return null;
  return new RunFailure(
    'cursor_lag',
    family === 'time'
      ? {
          zh: `lag 应带单位，如 5m，因为列 '${column}' 是 ${type}`,
          en: `lag needs a unit, such as 5m, because the column '${column}' is ${type}`,
        }
      : {
          zh: `lag 应为数字，如 100，因为列 '${column}' 是 ${type}`,
          en: `lag is a number, such as 100, because the column '${column}' is ${type}`,
        },
    { column, type, lag },
  );
}

/**
 * The least cursor value of the rows to read: the last cursor minus the lag, as a text of the column's type. Null reads all rows. The
 * session must write dates in ISO form and in UTC.
 */
export async function sinceValue(client: PoolClient, type: string, cursor: string | null, lag: string | null): Promise<string | null> {
  if (cursor === null || lag === null) return cursor;
  const [, count = '0', unit] = lagPattern.exec(lag) ?? [];
  const isTime = cursorFamily(type) === 'time';
  // If the source may refuse the resulting number, all rows are read, so that no row is missed.
  const value = isTime ? `($1::text::${type} - $2::text::interval)::${type}` : `$1::text::numeric - $2::text::numeric`;
  const { rows } = await client.query<{ value: string }>(`SELECT (${value})::text AS value`, [
    cursor,
    isTime && unit !== undefined ? `${count} ${units[unit]}` : count,
  ]);
  const since = rows[0]!.value;
  return isTime || isTakenBySource(since, cursor, type) ? since : null;
}

/**
 * The greatest value of the cursor column in a table, or `before` if that is greater, as text. Infinite values do not count. `table` is
 * quoted.
 */
export async function greatestCursor(
  client: PoolClient,
  { table, column, type, before }: { table: string; column: string; type: string; before: string | null },
): Promise<string | null> {
  const name = quoteIdentifier(column);
  const { rows } = await client.query<{ value: string | null }>(
    `SELECT greatest(max(${name}), $1::text::${type})::text AS value FROM ${table} WHERE ${finite[cursorFamily(type)!](name)}`,
    [before],
  );
  return rows[0]!.value;
}

/**
 * Whether a source certainly accepts a number. A foreign server may refuse a number that its column cannot hold, such as a negative one for
 * an unsigned column.
 */
function isTakenBySource(value: string, cursor: string, type: string): boolean {
  if (value.startsWith('-') && !cursor.startsWith('-')) return false;
  const least: Record<string, bigint> = { smallint: -(2n ** 15n), integer: -(2n ** 31n), bigint: -(2n ** 63n) };
  const bound = least[type];
  return bound === undefined || BigInt(value) >= bound;
}
