import { type DuckDBConnection } from '@duckdb/node-api';
import { quoteIdentifier } from '../../../../sql/quote-identifier.js';
import { quoteLiteral } from './quote-literal.js';
import { fits, rowsOf } from './fits-type.js';

interface Sniffed {
  delimiter: string;
  quote: string;
  escape: string;
  skip: number;
  hasHeader: boolean;
  columns: { name: string; type: string }[];
}

/**
 * SQL that reads a CSV file as it stands: whole numbers, days of ISO 8601 and texts. DuckDB guesses the types, the quotes and the first line
 * from the beginning of the file and then casts loosely, so that `12.7` becomes 13, `007` 7 and ` 5` 5. So a type is kept only if each value
 * of the file is the text of a value of the type, and all of the file is read once to find out. @throws DuckDB's error about a line
 */
export async function csvReader(connection: DuckDBConnection, path: string): Promise<string> {
  const file = quoteLiteral(path);
  const form = await sniff(connection, file);
  const typed = form.columns.filter(({ type }) => type !== 'VARCHAR');
  const texts = readCsv(file, form, () => 'VARCHAR');
  const checks = typed.map(({ name, type }) => fits(quoteIdentifier(name), type));
  const [found] = await rowsOf(
    connection,
    `SELECT ${['count(*)', ...checks].map((sql, at) => `${sql} AS c${at}`).join(', ')} FROM ${texts}`,
  );
  const kept = new Set(typed.filter((_, at) => found?.[`c${at + 1}`] === true).map(({ name }) => name));
  return `SELECT * FROM ${readCsv(file, form, ({ name, type }) => (kept.has(name) ? type : 'VARCHAR'))}`;
}

/** SQL that reads the beginning of a CSV file, for its number of columns. */
export function csvBeginning(path: string): string {
  return `SELECT * FROM read_csv(${quoteLiteral(path)}, all_varchar = true, comment = '')`;
}

/** Finds the form of a CSV file. A comment sign is never guessed, because each line that begins with `#` would be dropped silently. */
async function sniff(connection: DuckDBConnection, file: string): Promise<Sniffed> {
  const [found] = await rowsOf(
    connection,
    `SELECT Delimiter AS delimiter, Quote AS quote, Escape AS escape, SkipRows AS skip, HasHeader AS header, to_json(Columns)::VARCHAR AS columns
     FROM sniff_csv(${file}, comment = '', auto_type_candidates = ['BIGINT', 'DATE', 'VARCHAR'], dateformat = '%Y-%m-%d')`,
  );
  const signOf = (value: unknown): string => (value === '(empty)' ? '' : String(value));
  // A file without quotes at its beginning may have quotes later.
  const quote = signOf(found!.quote) || '"';
  const hasHeader = found!.header === true;
  return {
    delimiter: signOf(found!.delimiter),
    quote,
    escape: signOf(found!.escape) || quote,
    hasHeader,
    // Lines before a header are notes. Without a header they are rows, which must not be dropped.
    skip: hasHeader ? Number(found!.skip) : 0,
    columns: JSON.parse(String(found!.columns)) as Sniffed['columns'],
  };
}

function readCsv(file: string, form: Sniffed, typeOf: (column: Sniffed['columns'][number]) => string): string {
  const columns = form.columns.map(column => `${quoteLiteral(column.name)}: ${quoteLiteral(typeOf(column))}`).join(', ');
  return `read_csv(${file}, auto_detect = false, delim = ${quoteLiteral(form.delimiter)}, quote = ${quoteLiteral(form.quote)},
    escape = ${quoteLiteral(form.escape)}, comment = '', header = ${form.hasHeader}, skip = ${form.skip}, columns = {${columns}},
    dateformat = '%Y-%m-%d', allow_quoted_nulls = false, hive_partitioning = false)`;
}
