import { type PoolClient } from 'pg';
import { SchemaError } from '../../common/errors/api-error.js';
import { quoteIdentifier } from '../../sql/quote-identifier.js';
import { lineColumn } from './copy/copy-target.js';
import { type FileFormat, fileProblem } from './copy/file-problem.js';

/** @throws SchemaError with the line of the first row whose key is empty, or is that of an earlier row; `loaded` is quoted */
export async function requireUniqueKeys(client: PoolClient, format: FileFormat, loaded: string, key: readonly string[]): Promise<void> {
  const line = quoteIdentifier(lineColumn);
  const columns = key.map(quoteIdentifier);
  const empty = await client.query<{ line: string; nulls: boolean[] }>(
    `SELECT ${line} AS line, ARRAY[${columns.map(column => `${column} IS NULL`).join(', ')}] AS nulls FROM ${loaded}
     WHERE ${columns.map(column => `${column} IS NULL`).join(' OR ')} ORDER BY 1 LIMIT 1`,
  );
  const [row] = empty.rows;
  if (row) {
    const column = key[row.nulls.indexOf(true)]!;
    const place = { line: Number(row.line), column };
    throw fileProblem(format, 'key_empty', place, { zh: `主键列“${column}”为空`, en: `key column "${column}" is empty` });
  }
  const repeated = await client.query<{ line: string; first: string }>(
    `SELECT line, first FROM (
       SELECT ${line} AS line, row_number() OVER same AS number, min(${line}) OVER same AS first
       FROM ${loaded} WINDOW same AS (PARTITION BY ${columns.join(', ')} ORDER BY ${line})
     ) AS rows WHERE number = 2 ORDER BY line LIMIT 1`,
  );
  const [second] = repeated.rows;
  if (!second) return;
  throw fileProblem(
    format,
    'key_repeated',
    { line: Number(second.line) },
    { zh: `与第 ${second.first} 行的主键相同`, en: `the key is the same as in line ${second.first}` },
  );
}

/**
 * Writes the rows of `loaded` over those of `table` with the same key, and adds the others. Both names are quoted; the keys of `loaded` are
 * unique and not NULL.
 * @throws SchemaError where several rows of the table have one key
 */
export async function upsertRows(
  client: PoolClient,
  {
    table,
    loaded,
    columns,
    key,
    rows,
  }: { table: string; loaded: string; columns: readonly string[]; key: readonly string[]; rows: number },
): Promise<{ inserted: number; updated: number }> {
  const isSame = key.map(column => `t.${quoteIdentifier(column)} = l.${quoteIdentifier(column)}`).join(' AND ');
  const names = columns.map(quoteIdentifier);
  const update = await client.query(
    `UPDATE ${table} AS t SET ${names.map(name => `${name} = l.${name}`).join(', ')} FROM ${loaded} AS l WHERE ${isSame}`,
  );
  // The key of an updated row stays what it was, so the rows without one in the table are the new ones.
  const insert = await client.query(
    `INSERT INTO ${table} (${names.join(', ')}) SELECT ${names.join(', ')} FROM ${loaded} AS l
     WHERE NOT EXISTS (SELECT FROM ${table} AS t WHERE ${isSame}) ORDER BY ${quoteIdentifier(lineColumn)}`,
  );
  const [updated, inserted] = [update.rowCount ?? 0, insert.rowCount ?? 0];
  if (updated + inserted === rows) return { inserted, updated };
  throw new SchemaError([
    {
      loc: ['query', 'key'],
      text: { zh: '表中有多行具有相同的主键，无法更新', en: 'several rows of the table have the same key, so none can be updated by it' },
      type: 'key_not_unique',
    },
  ]);
}
