import { type PoolClient } from 'pg';
import { quoteIdentifier } from '../../sql/quote-identifier.js';

/**
 * Updates the rows of `target` that have the same key as a row of `delta`, and adds the other rows of `delta`. The key is the primary key
 * of `target`. A source without snapshots may send a row twice; the row with the greater cursor is then used. Unchanged rows are not
 * written. Table names are quoted.
 */
export async function upsertDelta(
  client: PoolClient,
  {
    target,
    delta,
    columns,
    key,
    cursor,
  }: { target: string; delta: string; columns: readonly string[]; key: readonly string[]; cursor: string },
): Promise<{ inserted: number; updated: number }> {
  const names = columns.map(quoteIdentifier);
  const keys = key.map(quoteIdentifier).join(', ');
  const rowOf = (table: string): string => `ROW(${names.map(name => `${table}.${name}`).join(', ')})::text`;
  const others = names.filter((_, index) => !key.includes(columns[index]!));
  const onConflict =
    others.length === 0
      ? 'NOTHING'
      : `UPDATE SET ${others.map(name => `${name} = excluded.${name}`).join(', ')} WHERE ${rowOf('t')} IS DISTINCT FROM ${rowOf('excluded')}`;
  const { rows } = await client.query<{ inserted: number; updated: number }>(
    `WITH written AS (
       INSERT INTO ${target} AS t (${names.join(', ')})
       SELECT DISTINCT ON (${keys}) ${names.join(', ')} FROM ${delta} ORDER BY ${keys}, ${quoteIdentifier(cursor)} DESC NULLS LAST
       ON CONFLICT (${keys}) DO ${onConflict}
       RETURNING t.xmax = 0 AS is_new)
     SELECT count(*) FILTER (WHERE is_new)::float8 AS inserted, count(*) FILTER (WHERE NOT is_new)::float8 AS updated FROM written`,
  );
  return rows[0]!;
}
