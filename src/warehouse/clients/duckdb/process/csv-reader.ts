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
  /** Whether the detection left out the first lines of a file without header. */
  isDoubtful: boolean;
  columns: { name: string; type: string }[];
}

/**
 * SQL that reads a CSV file as it stands: whole numbers, days of ISO 8601 and texts. DuckDB guesses the types, the quotes and the first line
 * from the beginning of the file and then casts loosely, so that `12.7` becomes 13, `007` 7 and ` 5` 5. So a type is kept only if each value
 * of the file is the text of a value of the type, and all of the file is read once to find out. @throws DuckDB's error about a line
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

/** SQL that reads the beginning of a CSV file, for its number of columns. */
export async function csvBeginning(connection: DuckDBConnection, path: string, table: TableFile): Promise<string> {
  const file = quoteLiteral(path);
  const form = await formOf(connection, file, firstRecordOf(await headOf(path)), table);
  return `SELECT * FROM ${readCsv(file, form, () => 'VARCHAR')}`;
}

/**
 * Finds the form of a CSV file. DuckDB's detection is not asked about the first record where it misreads it, see `isTrap`. The detection
 * also takes a file whose records differ in length for one of a single column, or fails. The form of the first record is taken then, and
 * the reading names the line that differs. @throws UnreadableFileError
 */
async function formOf(connection: DuckDBConnection, file: string, record: FirstRecord | null, table: TableFile): Promise<Sniffed> {
  if (record?.isTrap) return formLike(connection, file, record, table);
  try {
    const form = await sniff(connection, file);
    return record && form.columns.length === 1 && record.names.length > 1 ? await formLike(connection, file, record, table) : form;
  } catch (error) {
    // Only where DuckDB finds no form. A long line or want of memory is a failure of the file or of the work, whatever its form.
    if (record && /Error when sniffing file/.test(String(error))) return formLike(connection, file, record, table);
    throw error;
  }
}

/**
 * The form of a file whose first record is known. DuckDB tells the types of the further records only. Names with a line break are refused,
 * because DuckDB skips lines of a header of several lines wrongly, and then gives no rows.
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

/** Names for columns as DuckDB gives them: blank ones by their index, and a number for those that come again in any case. */
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
 * Reads a file with the quotes of RFC 4180, so that a quote out of place is named and not the line at which DuckDB gave up.
 * @throws DuckDB's error about a line with such a quote
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
