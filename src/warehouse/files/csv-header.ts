import { type NameProblem } from './name-problem.js';
import { SchemaError } from '../../common/errors/api-error.js';
import { fitsIdentifier, isSystemColumn } from '../../sql/quote-identifier.js';
import { type Bilingual } from '../../text/bilingual.js';
import { bareCarriageReturn, csvProblem, nulByte } from './csv-problem.js';

const LF = 10;
const CR = 13;
const QUOTE = 34;

export const mostColumns = 1600;

export interface CsvHeader {
  names: string[];
  /** Bytes of the header record, including the lines before it. */
  consumed: number;
  /** 1-based line that follows the header. */
  line: number;
  /** 1-based line at which the names begin, or the first record of a file without them. */
  nameLine: number;
}

/**
 * Reads the header of a file. Null if `bytes` do not contain the whole header yet.
 * @param start the byte and the 1-based line at which to begin
 * @param most the most columns
 * @throws SchemaError with the line of a stray quote, or of a carriage return that ends no line
 */
export function readHeader(
  bytes: Uint8Array,
  delimiter: number,
  final: boolean,
  start = { at: 0, line: 1 },
  most = mostColumns,
): CsvHeader | null {
  let { at, line } = start;
  while (bytes[at] === LF || (bytes[at] === CR && bytes[at + 1] === LF)) {
    at += bytes[at] === LF ? 1 : 2;
    line++;
  }
  const headerLine = line;
  const names: string[] = [];
  while (at < bytes.length) {
    let name: string;
    if (bytes[at] === QUOTE) {
      const close = closingQuote(bytes, at + 1);
      if (close === -1) {
        if (final) throw unterminated(headerLine);
        return null;
      }
      name = text(bytes, at + 1, close).replaceAll('""', '"');
      line += name.split('\n').length - 1;
      at = close + 1;
    } else {
      const start = at;
      while (at < bytes.length && bytes[at] !== delimiter && bytes[at] !== LF && bytes[at] !== QUOTE) at++;
      // The last byte may be the carriage return of a line ending, or its line feed may be still to come.
      const end = at > start && bytes[at - 1] === CR && (at >= bytes.length || bytes[at] === LF) ? at - 1 : at;
      name = text(bytes, start, end);
      if (name.includes('\r')) throw bareCarriageReturn({ line: headerLine });
      if (name.includes('\0')) throw nulByte({ line: headerLine });
    }
    if (at >= bytes.length || (bytes[at] === CR && at + 1 >= bytes.length)) return null;
    if (names.push(name) > most) throw tooManyColumns(most);
    if (bytes[at] === CR && bytes[at + 1] === LF) at++;
    const end = bytes[at++];
    if (end === LF) return { names, consumed: at, line: line + 1, nameLine: headerLine };
    if (end !== delimiter) {
      throw csvProblem('stray_quote', { line: headerLine }, { zh: '表头里的引号位置不对', en: 'a quote is out of place in the header' });
    }
  }
  return null;
}

/**
 * Checks that PostgreSQL accepts the column names: 1 to 63 bytes, no control characters, no name twice.
 * @param at returns the location of the name with this index, for the problems that are reported
 * @param line the line of the file that has the names
 * @param wayOut a hint for the message: how a file with such names can be loaded
 * @throws SchemaError listing every problem
 */
export function checkColumnNames(
  names: readonly string[],
  at: (index: number) => (string | number)[],
  line?: number,
  wayOut?: Bilingual,
): void {
  if (names.length > mostColumns) throw tooManyColumns(mostColumns);
  const seen = new Set<string>();
  const way = { zh: wayOut ? `；${wayOut.zh}` : '', en: wayOut ? `; ${wayOut.en}` : '' };
  const problems = names.flatMap((name, index) => {
    const found =
      nameProblem(name) ?? (seen.has(name) ? { type: 'duplicate_column', zh: '列名重复', en: 'the column name appears twice' } : null);
    seen.add(name);
    if (!found) return [];
    const which = `第 ${index + 1} 列 / column ${index + 1}`;
    return [
      {
        loc: at(index),
        text: { zh: `${which}: ${found.zh}${way.zh}`, en: `${found.en}${way.en}` },
        type: found.type,
        ...(line === undefined ? {} : { line }),
      },
    ];
  });
  if (problems.length > 0) throw new SchemaError(problems);
}

/**
 * The problem with the name of a mirror table; null for none. All relations of PostgreSQL's catalogue begin with `pg_`, and PostgreSQL
 * looks up a bare name in the catalogue first. So a table whose name begins with `pg_` could be mistaken for a relation of the catalogue.
 */
export function tableNameProblem(name: string): NameProblem | null {
  if (!/^pg_/i.test(name)) return nameProblem(name);
  return {
    type: 'reserved_name',
    zh: '以 pg_ 开头的表名为 PostgreSQL 保留，请换一个名称上传',
    en: 'table names that begin with pg_ are reserved by PostgreSQL; upload the table under another name',
  };
}

/** The problem with the name of a column or a table; null for none. */
export function nameProblem(name: string): NameProblem | null {
  if (name.trim() === '') return { type: 'empty_name', zh: '名称为空', en: 'the name is empty' };
  if (!fitsIdentifier(name)) return { type: 'name_too_long', zh: '名称超过 63 字节', en: 'the name is longer than 63 bytes of UTF-8' };
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(name) || !name.isWellFormed()) {
    return { type: 'name_characters', zh: '名称含有控制字符', en: 'the name holds a control character' };
  }
  if (isSystemColumn(name))
    return { type: 'reserved_name', zh: '名称是 PostgreSQL 的系统列', en: 'the name belongs to a system column of PostgreSQL' };
  return null;
}

function closingQuote(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] !== QUOTE) continue;
    // The byte after the quote shows whether the quote ends the field or is doubled.
    if (at + 1 >= bytes.length) return -1;
    if (bytes[at + 1] !== QUOTE) return at;
    at++;
  }
  return -1;
}

function text(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
}

function unterminated(line: number): SchemaError {
  return csvProblem('unterminated_quote', { line }, { zh: '表头里的引号没有关闭', en: 'a quote in the header is never closed' });
}

function tooManyColumns(most: number): SchemaError {
  return csvProblem('too_many_columns', { line: 1 }, { zh: `列数超过 ${most}`, en: `there are more than ${most} columns` });
}
