import { SchemaError } from '../../../../common/errors/api-error.js';
import { atOnce } from '../../../../text/steps.js';
import { CsvBlocks, defaultSizes } from '../../../files/csv-blocks.js';
import { toUtf8 } from '../../../files/csv-encoding.js';
import { requireReadable, takeHead } from '../../../files/csv-head.js';
import { CsvScanner } from '../../../files/csv-scanner.js';
import { BIGINT, DATE, INT, type Kind, UNKNOWN } from '../../../files/csv-values.js';
import { mostColumns } from '../../require-few-columns.js';
import { type UnreadableReason } from '../unreadable-file.js';
import { bytesOf, isDamagedGzip } from './file-bytes.js';
import { UnreadableFileError } from './work-error.js';

/** The form of a CSV file. */
export interface CsvForm {
  delimiter: string;
  /** Lines before the header. */
  before: number;
  /** Names as DuckDB gives them. */
  names: string[];
}

export interface ScannedCsv extends CsvForm {
  records: number;
  /** By column: the type of DuckDB that its values have, as far as they are in the spelling of uploads. */
  types: string[];
}

/** By the code of an upload's problem. */
const reasons: Readonly<Record<string, UnreadableReason>> = {
  csv_bare_carriage_return: 'line_end',
  csv_empty: 'empty',
  csv_encoding: 'not_utf8',
  csv_field_count: 'cells',
  csv_header_too_long: 'too_long',
  csv_not_utf8: 'not_utf8',
  csv_nul: 'nul',
  csv_record_too_long: 'too_long',
  csv_separator: 'separator',
  csv_stray_quote: 'open_quote',
  csv_text_after_quote: 'open_quote',
  csv_too_many_columns: 'columns',
  csv_unterminated_quote: 'open_quote',
};

/** Finds the form of a CSV file from its beginning, by the rules of an upload. @throws UnreadableFileError */
export function headOfCsv(path: string, file: string): Promise<CsvForm> {
  return reading(path, file, async blocks => (await takeForm(blocks, file)).form);
}

/** Reads all of a CSV file as an upload does, and refuses what an upload refuses. @throws UnreadableFileError */
export function scanCsv(path: string, file: string): Promise<ScannedCsv> {
  return reading(path, file, async blocks => {
    const { form, delimiter, line } = await takeForm(blocks, file);
    const { names } = form;
    const kinds = names.map((): Kind => UNKNOWN);
    const scanner = new CsvScanner({ delimiter, nullMarker: Buffer.alloc(0), columns: names, kinds, line });
    let [records, wanted] = [0, defaultSizes.block];
    for (let isOver = false; !isOver;) {
      const { bytes, final } = await blocks.take(wanted);
      atOnce(requireReadable(bytes, scanner.line));
      const found = atOnce(scanner.scan(bytes, final, bytes.length));
      wanted = found.consumed === 0 && !final ? CsvBlocks.more(bytes.length, scanner.line) : defaultSizes.block;
      records += found.records;
      blocks.putBack(bytes.subarray(found.consumed));
      isOver = final && found.consumed === bytes.length;
    }
    return { ...form, records, types: [...scanner.kinds].map(typeOf) };
  });
}

function typeOf(kind: number): string {
  if (kind === INT || kind === BIGINT) return 'BIGINT';
  return kind === DATE ? 'DATE' : 'VARCHAR';
}

async function takeForm(blocks: CsvBlocks, file: string): Promise<{ form: CsvForm; delimiter: number; line: number }> {
  const format = { delimiter: null, columns: null, hasHeader: true, mostColumns };
  const { header, delimiter } = await takeHead(blocks, format, defaultSizes.block);
  const { names, line, nameLine } = header;
  if (names.some(name => name.includes('\n') || name.includes('\r')))
    throw new UnreadableFileError({ file, reason: 'header_break', line: nameLine });
  return { form: { delimiter: String.fromCharCode(delimiter), before: nameLine - 1, names: namesOf(names) }, delimiter, line };
}

/** Reads a file by the code of uploads, whose problems are those of the file here. */
async function reading<T>(path: string, file: string, read: (blocks: CsvBlocks) => Promise<T>): Promise<T> {
  const source = bytesOf(path);
  try {
    const { bytes } = await toUtf8(source, { asked: 'utf-8', charset: undefined });
    return await read(new CsvBlocks(bytes));
  } catch (error) {
    if (isDamagedGzip(error)) throw new UnreadableFileError({ file, reason: 'damaged' }, error);
    if (!(error instanceof SchemaError)) throw error;
    const { line, type } = error.problems[0]!;
    throw new UnreadableFileError({ file, reason: reasons[type] ?? 'damaged', ...(line !== undefined && { line }) }, error);
  } finally {
    source.destroy();
  }
}

/**
 * Names for columns as DuckDB's detection gives them: without blanks at the ends, empty ones by their index, and a number for those that
 * come again in any case of their ASCII letters.
 */
function namesOf(names: readonly string[]): string[] {
  const digits = String(names.length - 1).length;
  const numbers = new Map<string, number>();
  const keyOf = (name: string): string => name.replace(/[A-Z]/g, letter => letter.toLowerCase());
  return names.map((raw, index) => {
    let name = withoutBlanks(raw) || `column${String(index).padStart(digits, '0')}`;
    for (let number = numbers.get(keyOf(name)); number !== undefined; number = numbers.get(keyOf(name))) {
      numbers.set(keyOf(name), number + 1);
      name = `${name}_${number + 1}`;
    }
    numbers.set(keyOf(name), 0);
    return name;
  });
}

function withoutBlanks(name: string): string {
  const isBlank = (at: number): boolean => /\p{Zs}/u.test(name.charAt(at));
  let [from, to] = [0, name.length];
  while (from < to && isBlank(from)) from++;
  while (from < to && isBlank(to - 1)) to--;
  return name.slice(from, to);
}
