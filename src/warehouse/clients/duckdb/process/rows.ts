import { once } from 'node:events';
import { type DuckDBBlobValue } from '@duckdb/node-api';
import { quoteIdentifier, quoteTable } from '../../../../sql/quote-identifier.js';
import { unreadableValue } from '../../query-failures.js';
import { type RowsAnswer, type Work } from '../protocol.js';
import { exposeTable } from './catalog.js';
import { type Source } from './source.js';
import { type Column, columnsOf, schema } from './table-columns.js';
import { WorkError } from './work-error.js';

/**
 * Writes rows to the standard output in the text format of COPY. DuckDB itself makes the bytes of each row. Writing waits while nobody
 * reads the output. @throws WorkError
 */
export async function writeRows(source: Source, { table, columns: wanted, since }: Work & { do: 'rows' }): Promise<RowsAnswer> {
  if (!(await exposeTable(source, table))) throw new WorkError('no_table');
  const columns = new Map((await columnsOf(source.connection, table)).map(column => [column.name, column]));
  const fields = wanted.map(name => fieldOf(known(columns, name)));
  const condition = since === null ? null : sinceCondition(known(columns, since.column), since.value);
  const line = fields.flatMap((field, index) => (index === 0 ? [field] : ['chr(9)', field]));
  const sql = `SELECT encode(concat(${[...line, 'chr(10)'].join(', ')})) FROM ${quoteTable(schema, table)}${condition === null ? '' : ` WHERE ${condition.sql}`}`;
  const result = await source.connection.stream(sql, condition === null ? [] : [condition.value]);
  let bytes = 0;
  for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    const lines = chunk.getColumnVector(0);
    const rows = Buffer.concat(Array.from({ length: lines.itemCount }, (_, index) => (lines.getItem(index) as DuckDBBlobValue).bytes));
    const zero = rows.indexOf(0);
    if (zero >= 0) throw new WorkError('unreadable_value', { column: wanted[columnAt(rows.toString('latin1'), zero)]! });
    bytes += rows.length;
    if (!process.stdout.write(rows)) await once(process.stdout, 'drain');
  }
  return { bytes };
}

function known(columns: Map<string, Column>, name: string): Column {
  const column = columns.get(name);
  // The API has described the table before, so the column has been removed or changed since.
  if (!column?.text) throw new WorkError('changed');
  return column;
}

function fieldOf({ name, text, nativeType }: Column): string {
  const value = quoteIdentifier(name);
  const sql = text!.sql(value, unreadableValue(name));
  if (nativeType === 'VARCHAR') return `coalesce(CASE WHEN ${needsEscapes(sql)} THEN ${escaped(sql)} ELSE ${sql} END, '\\N')`;
  return `coalesce(${text!.isPlain ? sql : escaped(sql)}, '\\N')`;
}

/**
 * SQL that checks whether a text needs escapes. Few texts do, and the check takes a third of the time of escaping. It is used only for
 * texts: values of other types would be converted to text five times.
 */
function needsEscapes(text: string): string {
  return ["'\\'", 'chr(9)', 'chr(10)', 'chr(13)'].map(character => `contains(${text}, ${character})`).join(' OR ');
}

function escaped(text: string): string {
  return `replace(replace(replace(replace(${text}, '\\', '\\\\'), chr(9), '\\t'), chr(10), '\\n'), chr(13), '\\r')`;
}

/**
 * The condition of an incremental read: the column is at least `value`, or NULL. `value` is written as in PostgreSQL and is cast to the
 * column's type.
 */
function sinceCondition({ name, text, nativeType }: Column, value: string): { sql: string; value: string } {
  const column = quoteIdentifier(name);
  const isBinary = text!.type === 'bytea';
  const bound = isBinary ? 'unhex($1)' : `CAST($1 AS ${nativeType})`;
  // DuckDB writes BC between the day and the time, as in `0044-03-15 (BC) 12:00:00`; PostgreSQL writes it at the end.
  const own = isBinary
    ? value.replace(/^\\x/, '')
    : /^(date|timestamp)/.test(text!.type)
      ? value.replace(/^(\S+)((?:\s.*)?) BC$/, '$1 (BC)$2')
      : value;
  return { sql: `${column} >= ${bound} OR ${column} IS NULL`, value: own };
}

/** The index of the column at an offset in a text of COPY lines, from 0. */
function columnAt(text: string, offset: number): number {
  const line = text.slice(text.lastIndexOf('\n', offset) + 1, offset);
  return line.split('\t').length - 1;
}
