import { type DuckDBConnection } from '@duckdb/node-api';
import { quoteIdentifier } from '../../../../sql/quote-identifier.js';
import { quoteLiteral } from './quote-literal.js';
import { type FirstRecord, firstRecordOf, headOf } from './file-head.js';
import { fits, rowsOf } from './fits-type.js';
import { type TableFile } from './folder-tables.js';
import { placeIn, UnreadableFileError } from './work-error.js';

interface Sniffed {
  delimiter: string;
  quote: string;
  escape: string;
  skip: number;
  hasHeader: boolean;
  /** Whether DuckDB's detection skipped lines at the beginning of a file in which it found no header. */
  isDoubtful: boolean;
  columns: { name: string; type: string }[];
}

/**
 * Builds the SQL that reads a CSV file without changing a value. Columns are whole numbers, ISO 8601 days or texts. DuckDB guesses the
 * types, the quotes and the first line from the beginning of the file and then casts loosely, so that `12.7` becomes 13, `007` 7 and ` 5`
 * 5. A guessed type is therefore kept only if DuckDB would write each value of the column exactly as it stands in the file. This check
 * reads the whole file once.
 * @throws DuckDB's error about a line, UnreadableFileError
 */
export async function csvReader(connection: DuckDBConnection, path: string, table: TableFile): Promise<string> {
  const file = quoteLiteral(path);
  const record = firstRecordOf(await headOf(path));
  const form = await formOf(connection, file, record, table);
  if (form.isDoubtful && record) await requireQuotes(connection, file, record, table);
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

/** Builds SQL that reads a CSV file as texts. It finds the number of columns from the beginning of the file. */
export async function csvBeginning(connection: DuckDBConnection, path: string, table: TableFile): Promise<string> {
  const file = quoteLiteral(path);
  const form = await formOf(connection, file, firstRecordOf(await headOf(path)), table);
  return `SELECT * FROM ${readCsv(file, form, () => 'VARCHAR')}`;
}

/**
 * Finds the form of a CSV file. DuckDB's detection is not used for a file whose first record it misreads (see `isTrap`). If records differ
 * in length, the detection may also find a single column, or fail. The form is then taken from the first record, so that the later read
 * reports the line that differs.
 * @throws UnreadableFileError
 */
async function formOf(connection: DuckDBConnection, file: string, record: FirstRecord | null, table: TableFile): Promise<Sniffed> {
  if (record?.isTrap) return formLike(connection, file, record, table);
  try {
    const form = await sniff(connection, file);
    return record && form.columns.length === 1 && record.names.length > 1 ? await formLike(connection, file, record, table) : form;
  } catch (error) {
    // Only the error that DuckDB finds no form is handled here. Other errors, such as a line that is too long or a lack of memory, would
    // occur with any form.
    if (record && /Error when sniffing file/.test(String(error))) return formLike(connection, file, record, table);
    throw error;
  }
}

/**
 * The form of a file according to its first record. DuckDB detects only the types, from the records after the first. A first record of
 * several lines is refused: DuckDB skips the lines of such a header wrongly, and then returns no rows.
 * @throws UnreadableFileError
 */
async function formLike(connection: DuckDBConnection, file: string, record: FirstRecord, table: TableFile): Promise<Sniffed> {
  const { isHeader, before, lines, delimiter } = record;
  if (lines > before + 1) throw new UnreadableFileError({ file: table.file, reason: 'header_break', line: before + 1 });
  const form = { delimiter, quote: '"', escape: '"', skip: isHeader ? lines : before, hasHeader: false, isDoubtful: false };
  const names = isHeader ? namesOf(record.names) : record.names.map((_, index) => `column${index}`);
  const rows = await sniff(
    connection,
    file,
    `, delim = ${quoteLiteral(delimiter)}, quote = '"', escape = '"', header = false, skip = ${lines}`,
  ).catch(() => null);
  const types = rows?.columns.length === names.length ? rows.columns.map(({ type }) => type) : [];
  return { ...form, columns: names.map((name, index) => ({ name, type: types[index] ?? 'VARCHAR' })) };
}

/**
 * Names columns as DuckDB does: a blank name becomes `column` and its index, and a repeated name gets a number, such as `id_1`. `ID`
 * repeats `id`.
 */
function namesOf(names: readonly string[]): string[] {
  const taken = new Set<string>();
  const numbers = new Map<string, number>();
  return names.map((name, index) => {
    const base = name === '' ? `column${index}` : name;
    const key = base.toLowerCase();
    let number = numbers.get(key) ?? 0;
    let free = number === 0 ? base : `${base}_${number}`;
    while (taken.has(free.toLowerCase())) free = `${base}_${++number}`;
    taken.add(free.toLowerCase());
    numbers.set(key, number);
    return free;
  });
}

/**
 * Reads the whole file with the quotes of RFC 4180. A misplaced quote is then reported at its own line, and not at the line at which
 * DuckDB's detection gave up. Other errors of this reading are ignored.
 * @throws UnreadableFileError, DuckDB's error about a line with such a quote
 */
async function requireQuotes(connection: DuckDBConnection, file: string, record: FirstRecord, table: TableFile): Promise<void> {
  try {
    await rowsOf(connection, `SELECT count(*) FROM ${readCsv(file, await formLike(connection, file, record, table), () => 'VARCHAR')}`);
  } catch (error) {
    if (error instanceof UnreadableFileError || placeIn(table.file, error as Error)?.reason === 'open_quote') throw error;
  }
}

/** Finds the form of a CSV file. A comment sign is never guessed, because each line that begins with `#` would be dropped silently. */
async function sniff(connection: DuckDBConnection, file: string, more = ''): Promise<Sniffed> {
  const [found] = await rowsOf(
    connection,
    `SELECT Delimiter AS delimiter, Quote AS quote, Escape AS escape, SkipRows AS skip, HasHeader AS header, to_json(Columns)::VARCHAR AS columns
     FROM sniff_csv(${file}, comment = '', auto_type_candidates = ['BIGINT', 'DATE', 'VARCHAR'], dateformat = '%Y-%m-%d'${more})`,
  );
  const signOf = (value: unknown): string => (value === '(empty)' ? '' : String(value));
  // The detection finds no quote character if the beginning of the file has no quotes, but later lines may have some.
  const quote = signOf(found!.quote) || '"';
  const hasHeader = found!.header === true;
  return {
    delimiter: signOf(found!.delimiter),
    quote,
    escape: signOf(found!.escape) || quote,
    hasHeader,
    // Lines before a header are notes. Without a header they are rows, which must not be dropped.
    skip: hasHeader ? Number(found!.skip) : 0,
    isDoubtful: !hasHeader && Number(found!.skip) > 0,
    columns: JSON.parse(String(found!.columns)) as Sniffed['columns'],
  };
}

function readCsv(file: string, form: Sniffed, typeOf: (column: Sniffed['columns'][number]) => string): string {
  const columns = form.columns.map(column => `${quoteLiteral(column.name)}: ${quoteLiteral(typeOf(column))}`).join(', ');
  return `read_csv(${file}, auto_detect = false, delim = ${quoteLiteral(form.delimiter)}, quote = ${quoteLiteral(form.quote)},
    escape = ${quoteLiteral(form.escape)}, comment = '', header = ${form.hasHeader}, skip = ${form.skip}, columns = {${columns}},
    dateformat = '%Y-%m-%d', allow_quoted_nulls = false, hive_partitioning = false)`;
}
