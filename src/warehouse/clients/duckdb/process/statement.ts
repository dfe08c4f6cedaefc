import { type DuckDBBlobValue, type DuckDBConnection, type DuckDBValue, StatementType } from '@duckdb/node-api';
import { quoteIdentifier, quoteTable } from '../../../../sql/quote-identifier.js';
import { unreadableValue } from '../../query-failures.js';
import { type QueryAnswer, type Work } from '../protocol.js';
import { exposeTable } from './catalog.js';
import { type Source } from './source.js';
import { schema, toColumn } from './table-columns.js';
import { WorkError } from './work-error.js';
import { withoutLength } from '../../../../sql/without-length.js';

type Bounds = Pick<Work & { do: 'query' }, 'maxRows' | 'maxBytes'>;

/** Prefix of a statement that asks for the plan of a SELECT. */
const explaining = 'EXPLAIN (FORMAT JSON) ';

/** Runs one SELECT, or shows its plan. In a folder, only the files whose tables the statement mentions are opened. @throws WorkError */
export async function query(source: Source, { sql, parameters, ...bounds }: Work & { do: 'query' }): Promise<QueryAnswer> {
  const { connection } = source;
  const mentioned = (source.folder?.tables ?? []).map(({ table }) => table).filter(table => mentions(sql, table));
  // An unreadable file fails the statement only if the statement reads it. Then the file's own error explains why the table is missing.
  const broken = new Map<string, unknown>();
  await source.expose(mentioned, { failed: (table, error) => broken.set(table.toLowerCase(), error) });
  try {
    return await answerOne(connection, sql, parameters as DuckDBValue[], bounds);
  } catch (error) {
    const [, missing = ''] = /Table with name (.+?) does not exist/.exec((error as Error).message) ?? [];
    throw broken.get(missing.toLowerCase()) ?? error;
  }
}

async function answerOne(connection: DuckDBConnection, sql: string, values: DuckDBValue[], bounds: Bounds): Promise<QueryAnswer> {
  const isExplained = sql.startsWith(explaining);
  // Only the text after the EXPLAIN prefix is prepared, so that an EXPLAIN of anything but a SELECT is refused.
  const statements = await connection.extractStatements(isExplained ? sql.slice(explaining.length) : sql);
  if (statements.count !== 1) throw new WorkError('several_statements');
  const statement = await statements.prepare(0);
  // Only SELECT is allowed, since COPY and ATTACH could write files. DuckDB counts a PRAGMA that only reads as SELECT.
  const isSelect = statement.statementType === StatementType.SELECT;
  statement.destroySync();
  if (!isSelect) throw new WorkError('not_a_query');
  if (!isExplained) return answer(connection, sql, values, bounds);
  const plan = await connection.runAndReadAll(sql, values);
  return answer(connection, 'SELECT CAST($1 AS VARCHAR) AS plan', [plan.getRowObjects()[0]!.explain_value as string], bounds);
}

export async function sample(source: Source, { table, ...bounds }: Work & { do: 'sample' }): Promise<QueryAnswer> {
  if (!(await exposeTable(source, table))) throw new WorkError('no_table');
  return answer(source.connection, `SELECT * FROM ${quoteTable(schema, table)}`, [], bounds);
}

/**
 * Whether a statement may read a table: whether the table's name occurs in the text. DuckDB's own list of the names in a statement is empty
 * for statements with parameters.
 */
function mentions(sql: string, table: string): boolean {
  const [text, name] = [sql.toLowerCase(), table.replaceAll('"', '""').toLowerCase()];
  const isInWord = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}_]/u.test(character);
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!isInWord(text[at - 1]) && !isInWord(text[at + name.length])) return true;
  }
  return false;
}

/**
 * Runs a SELECT whose values DuckDB writes as PostgreSQL would. Values without a counterpart in PostgreSQL are shown as DuckDB writes them.
 */
async function answer(
  connection: DuckDBConnection,
  sql: string,
  values: DuckDBValue[],
  { maxRows, maxBytes }: Bounds,
): Promise<QueryAnswer> {
  // The line break keeps a comment at the end of the statement from swallowing the bracket. `run` with LIMIT 0 finds the columns, because a
  // stream that is not read to its end would keep the file open.
  const empty = await connection.run(`SELECT * FROM (${sql}\n) LIMIT 0`, values);
  const columns = empty.columnNames().map((name, index) => toColumn(name, empty.columnType(index)));
  const names = columns.map((_, index) => quoteIdentifier(`c${index}`));
  // As bytes, because the driver takes a byte order mark at the beginning of a text away.
  const texts = columns.map(
    ({ name, text }, index) => `encode(${text?.sql(names[index]!, unreadableValue(name)) ?? `${names[index]!}::VARCHAR`})`,
  );
  const result = await connection.stream(
    `SELECT ${texts.join(', ')} FROM (${sql}\n) AS q(${names.join(', ')}) LIMIT ${maxRows + 1}`,
    values,
  );
  const rows: (string | null)[][] = [];
  let bytes = 0;
  for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    for (const row of chunk.getRows() as (DuckDBBlobValue | null)[][]) {
      for (const value of row) bytes += 4 + (value?.bytes.length ?? 0);
      if (bytes > maxBytes) throw new WorkError('too_large', { bytes });
      rows.push(row.map((value, index) => (value === null ? null : textOf(value, columns[index]!.name))));
    }
  }
  return {
    columns: columns.map(({ name, text }) => ({ name, type: withoutLength(text?.type ?? 'other') })),
    rows: rows.slice(0, maxRows),
    truncated: rows.length > maxRows,
    bytes,
  };
}

/** @throws WorkError for a zero byte, which PostgreSQL cannot hold */
function textOf({ bytes }: DuckDBBlobValue, column: string): string {
  if (bytes.includes(0)) throw new WorkError('unreadable_value', { column });
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}
