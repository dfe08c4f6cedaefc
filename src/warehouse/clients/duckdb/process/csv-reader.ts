import { type DuckDBConnection } from '@duckdb/node-api';
import { quoteIdentifier } from '../../../../sql/quote-identifier.js';
import { longestRecordBytes } from '../../../files/csv-encoding.js';
import { isGzip } from './file-bytes.js';
import { fits, rowsOf } from './fits-type.js';
import { type TableFile } from './folder-tables.js';
import { quoteLiteral } from './quote-literal.js';
import { type CsvForm, headOfCsv, scanCsv } from './scan-csv.js';

/** The longest record with its line end. DuckDB refuses lines of 2 MB by default. */
const longestLine = longestRecordBytes + 1024;

/**
 * SQL that reads a CSV file as it stands: whole numbers, days of ISO 8601 and texts. DuckDB guesses nothing. The service itself finds the
 * delimiter and the header, and reads all of the file, as an upload does. A column has a type only if DuckDB writes each of its values as
 * the file does. @throws UnreadableFileError
 */
export async function csvReader(connection: DuckDBConnection, path: string, { file }: TableFile): Promise<string> {
  const { records, types, ...form } = await scanCsv(path, file);
  const typed = form.names.flatMap((name, at) => (types[at] === 'VARCHAR' ? [] : [{ at, sql: fits(quoteIdentifier(name), types[at]!) }]));
  const checks = ['count(*) AS rows', ...typed.map(({ at, sql }) => `${sql} AS c${at}`)];
  const [found] = await rowsOf(connection, `SELECT ${checks.join(', ')} FROM ${readCsv(path, form, [])}`);
  // Both counts should always be equal. Without this check, a mistake of either reader could lose a row silently.
  if (Number(found!.rows) !== records) throw new Error(`DuckDB read ${String(found!.rows)} rows where the scanner found ${records}`);
  const kept = types.map((type, at) => (found![`c${at}`] === true ? type : 'VARCHAR'));
  return `SELECT * FROM ${readCsv(path, form, kept)}`;
}

/** SQL that reads the beginning of a CSV file, for its number of columns. @throws UnreadableFileError */
export async function csvBeginning(path: string, { file }: TableFile): Promise<string> {
  return `SELECT * FROM ${readCsv(path, await headOfCsv(path, file), [])}`;
}

/**
 * Lines may end with LF, with CRLF or with both: DuckDB reads each of these files with `new_line = '\r\n'` and without the strict mode, and
 * what else this mode lets through was refused before. Several threads would guess where a record begins, and fail at quoted texts of many
 * lines.
 */
function readCsv(path: string, { delimiter, before, names }: CsvForm, types: readonly string[]): string {
  const columns = names.map((name, at) => `${quoteLiteral(name)}: ${quoteLiteral(types[at] ?? 'VARCHAR')}`).join(', ');
  return `read_csv(${quoteLiteral(path)}, auto_detect = false, compression = '${isGzip(path) ? 'gzip' : 'none'}',
    delim = ${quoteLiteral(delimiter)}, quote = '"', escape = '"', comment = '', header = true, skip = ${before}, columns = {${columns}},
    new_line = '\\r\\n', strict_mode = false, parallel = false, dateformat = '%Y-%m-%d', allow_quoted_nulls = false, hive_partitioning = false,
    max_line_size = ${longestLine}, buffer_size = ${2 * longestLine})`;
}
