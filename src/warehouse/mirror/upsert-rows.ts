import { type PoolClient } from 'pg';
import { SchemaError } from '../../common/errors/api-error.js';
import { quoteIdentifier } from '../../sql/quote-identifier.js';
import { sqlstates, sqlstateOf } from '../../sql/sqlstate.js';
import { lineColumn } from './copy/copy-target.js';
import { isKeyTooLarge, largeKey } from './copy/copy-errors.js';
import { type FileFormat, fileProblem } from '../files/file-problem.js';

/**
 * Checks that the keys of loaded rows are complete and unique.
 * @param loaded the quoted name of the table with the rows
 * @param required further columns that must not be empty
 * @throws SchemaError with the line of the first row whose key or required column is empty, or whose key an earlier row already has
 */
export async function requireUniqueKeys(
  client: PoolClient,
  format: FileFormat,
  loaded: string,
  { key, required }: { key: readonly string[]; required: readonly string[] },
): Promise<void> {
  const line = quoteIdentifier(lineColumn);
  const columns = key.map(quoteIdentifier);
  const filled = [...key, ...required.filter(name => !key.includes(name))];
  const isEmpty = filled.map(name => `${quoteIdentifier(name)} IS NULL`);
  const empty = await client.query<{ line: string; nulls: boolean[] }>(
    `SELECT ${line} AS line, ARRAY[${isEmpty.join(', ')}] AS nulls FROM ${loaded} WHERE ${isEmpty.join(' OR ')} ORDER BY 1 LIMIT 1`,
  );
  const [row] = empty.rows;
  if (row) {
    const column = filled[row.nulls.indexOf(true)]!;
    const place = { line: Number(row.line), column };
    throw key.includes(column)
      ? fileProblem(format, 'key_empty', place, { zh: `主键列“${column}”为空`, en: `key column "${column}" is empty` })
      : fileProblem(format, 'value_missing', place, {
          zh: `列“${column}”为空，而表中该列不可为空`,
          en: `column "${column}" is empty, and the table has it NOT NULL`,
        });
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
 * Updates the rows of `table` that have the same key as a row of `loaded`, and adds the other rows of `loaded`. Both table names are
 * quoted; the keys of `loaded` are unique and not NULL.
 * @throws SchemaError if several rows of `table` have one key, or if the rows violate a unique key of `table`
 */
export async function upsertRows(
  client: PoolClient,
  {
    format,
    table,
    loaded,
    columns,
    key,
    rows,
  }: { format: FileFormat; table: string; loaded: string; columns: readonly string[]; key: readonly string[]; rows: number },
): Promise<{ inserted: number; updated: number }> {
  const isSame = key.map(column => `t.${quoteIdentifier(column)} = l.${quoteIdentifier(column)}`).join(' AND ');
  const names = columns.map(quoteIdentifier);
  const write = async (statement: string): Promise<number> => {
    try {
      return (await client.query(statement)).rowCount ?? 0;
    } catch (error) {
      if (sqlstateOf(error) === sqlstates.uniqueViolation) throw otherKey();
      if (!isKeyTooLarge(error)) throw error;
      await client.query('ROLLBACK TO SAVEPOINT before_upsert');
      throw (await longestKey(client, format, { table, loaded, columns })) ?? error;
    }
  };
  await client.query('SAVEPOINT before_upsert');
  const updated = await write(
    `UPDATE ${table} AS t SET ${names.map(name => `${name} = l.${name}`).join(', ')} FROM ${loaded} AS l WHERE ${isSame}`,
  );
  // The update keeps the keys of `table`, so the new rows are those of `loaded` whose key is not in `table`.
  const inserted = await write(
    `INSERT INTO ${table} (${names.join(', ')}) SELECT ${names.join(', ')} FROM ${loaded} AS l
     WHERE NOT EXISTS (SELECT FROM ${table} AS t WHERE ${isSame}) ORDER BY ${quoteIdentifier(lineColumn)}`,
  );
  if (updated + inserted === rows) return { inserted, updated };
  throw new SchemaError([
    {
      loc: ['query', 'key'],
      text: { zh: '表中有多行具有相同的主键，无法更新', en: 'several rows of the table have the same key, so none can be updated by it' },
      type: 'key_not_unique',
    },
  ]);
}

/**
 * The error for a value that is too large for an index, with the place of the longest value of the indexed columns, since PostgreSQL names
 * no row. Null if the table has no index of columns.
 */
async function longestKey(
  client: PoolClient,
  format: FileFormat,
  { table, loaded, columns }: { table: string; loaded: string; columns: readonly string[] },
): Promise<SchemaError | null> {
  const { rows: indexed } = await client.query<{ name: string }>(
    `SELECT DISTINCT a.attname AS name FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
     WHERE i.indrelid = $1::regclass AND a.attname = ANY ($2::text[])`,
    [table, columns],
  );
  if (indexed.length === 0) return null;
  const sizes = indexed.map(({ name }, index) => `(${index}, pg_column_size(l.${quoteIdentifier(name)}))`);
  const { rows } = await client.query<{ line: string; column: number }>(
    `SELECT l.${quoteIdentifier(lineColumn)} AS line, sizes.at AS column FROM ${loaded} AS l, LATERAL (VALUES ${sizes.join(', ')}) AS sizes (at, size)
     ORDER BY sizes.size DESC NULLS LAST LIMIT 1`,
  );
  const place = { line: Number(rows[0]!.line), column: indexed[rows[0]!.column]!.name };
  return fileProblem(format, 'row_refused', place, largeKey);
}

/** The error for a row that violates a unique key other than `key`, such as the primary key that a copy has taken over from its source. */
function otherKey(): SchemaError {
  return new SchemaError([
    {
      loc: ['query', 'key'],
      text: {
        zh: '某一行的主键已属于表中的另一行；请用表的主键作 key',
        en: 'the primary key of a row is that of another row of the table; give the primary key of the table as key',
      },
      type: 'key_not_primary',
    },
  ]);
}
