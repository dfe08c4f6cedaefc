import { type SchemaError } from '../../../common/errors/api-error.js';
import { type Steps } from '../../../text/steps.js';
import { type NameProblem } from '../../files/name-problem.js';
import { type BlankLines } from '../../files/copy-lines.js';
import { nameProblem } from '../../files/csv-header.js';
import { type ColumnNames, renameHint } from '../rename-columns.js';
import { BOOLEAN, classifyValue, DATE, LOSSY, TEXT, TIMESTAMP, UNKNOWN } from '../../files/csv-values.js';
import { longestRecordBytes } from '../../files/csv-encoding.js';
import { joinKinds, kindOfNested, kindOfString } from './json-kinds.js';
import { aName, commaOrBrace, JsonReader, NESTED, NULL_WORD, NUMBER, STRING } from '../../files/json-reader.js';

const LF = 10;
const QUOTE = 34;
const COMMA = 44;
const OPEN_LIST = 91;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** Bit mask: `scan` pauses after every 64 lines. */
const linesOfStep = 63;
/** Maximum number of rows and runs of blank lines in one scan. Without it, a block of 16 MiB after a long line could have two million. */
export const rowsOfScan = 20_000;
/** Maximum number of bytes of a date or time. It has room for each character written as `\u` and four digits. */
const longestTime = 6 * 64;

/** Token of a string that contains `\u`. COPY can read all other JSON strings unchanged. */
export const CODED = 5;

export interface NdjsonScannerOptions {
  /** The text of a JSON string that stands for NULL; null for none. */
  nullMarker: string | null;
  mostColumns: number;
  /** Makes names for keys that cannot be column names; null to refuse such keys. */
  names: ColumnNames | null;
  /** Whether the type of a column is given. PostgreSQL then checks its values. */
  isGiven: (name: string) => boolean;
  /** @throws SchemaError for a key that the upload cannot take */
  checkName: (name: string, line: number) => void;
}

/**
 * The rows of a block of bytes. Row `n` has the entries of `cells` from `rowEnds[n - 1]` to `rowEnds[n]`. A value that is NULL has no cell.
 */
export interface ScannedRows {
  /** Number of bytes from the start of the block that were scanned: whole lines, and at most `rowsOfScan` of them with content. */
  consumed: number;
  rows: number;
  rowEnds: number[];
  /** The 1-based line of each row. */
  rowLines: number[];
  /** Four numbers for each cell: column index, start and end in the block, token. The quotes of a string are outside of start and end. */
  cells: number[];
  /** The first row of the block that needs a wider type or a new column; null if there is none. */
  split: { row: number; line: number } | null;
  blankLines: BlankLines[];
}

/**
 * Reads the objects of an NDJSON file, one a line. It finds their keys and widens the type of each column by its values, in one pass and
 * without creating JavaScript values. Columns come in the order in which the file first has them, and their types only ever widen.
 */
export class NdjsonScanner {
  readonly names: string[] = [];
  readonly kinds: number[] = [];
  /**
   * By column index, 0 for none. `lossyLines`: the line of the first value that PostgreSQL would print in another spelling under the
   * column's type. `widenedLines`: the line of the value that last widened the column's kind.
   */
  readonly lossyLines: number[] = [];
  readonly widenedLines: number[] = [];
  /** By column index, 0 for none: the line of the first value whose JSON type differs from the type of earlier values. */
  readonly mixedLines: number[] = [];
  /** 1-based line of the next object. */
  line = 1;

  private readonly reader = new JsonReader(Buffer.alloc(0));
  /**
   * By column index. `keys`: the bytes of the column's key with the closing quote. `tokens`: the JSON types of its values as bits.
   * `seenIn`: the line that last had the key.
   */
  private readonly keys: (Buffer | null)[] = [];
  private readonly tokens: number[] = [];
  private readonly seenIn: number[] = [];
  private readonly given: boolean[] = [];
  private readonly columnOf = new Map<string, number>();
  private bytes: Buffer = Buffer.alloc(0);
  private scanned: ScannedRows = noRows();

  constructor(private readonly options: NdjsonScannerOptions) {}

  /**
   * Scans the whole lines of `bytes`, or the first `rowsOfScan` of them, in steps.
   * @throws SchemaError with the line of a value that is not an object, or that PostgreSQL cannot hold
   */
  *scan(bytes: Buffer): Steps<ScannedRows> {
    const { reader } = this;
    const limit = bytes.lastIndexOf(LF) + 1;
    const scanned = noRows();
    this.scanned = scanned;
    this.bytes = bytes;
    reader.open(bytes);
    for (let at = 0; at < limit && scanned.rows + scanned.blankLines.length < rowsOfScan; this.line++) {
      if ((this.line & linesOfStep) === 0) yield;
      reader.line = this.line;
      reader.lineStart = at;
      const lineStart = at;
      at = reader.skipSpace(at);
      if (bytes[at] === LF) {
        const last = scanned.blankLines.at(-1);
        if (last && last.line + last.count === this.line) last.count++;
        else scanned.blankLines.push({ line: this.line, count: 1 });
        scanned.consumed = ++at;
        continue;
      }
      at = reader.skipSpace(yield* this.object(at));
      if (bytes[at] !== LF) throw reader.wanted(at, { zh: '行尾', en: 'the end of the line' });
      scanned.consumed = ++at;
      if (at - lineStart > longestRecordBytes) throw lineTooLong(reader);
      scanned.rowLines.push(this.line);
      scanned.rowEnds.push(scanned.cells.length);
      scanned.rows++;
    }
    return scanned;
  }

  /**
   * @param seen bytes of the unfinished line so far
   * @throws SchemaError if the line is longer than `longestRecordBytes`
   */
  requireEnd(seen: number): void {
    this.reader.line = this.line;
    if (seen > longestRecordBytes) throw lineTooLong(this.reader);
  }

  private *object(from: number): Steps<number> {
    const { bytes, reader, scanned } = this;
    if (bytes[from] !== OPEN_OBJECT) throw noObject(reader, bytes[from]!, bytes[reader.skipSpace(from + 1)]!);
    let at = reader.skipSpace(from + 1);
    if (bytes[at] === CLOSE_OBJECT) return at + 1;
    for (let column = -1; ;) {
      if (bytes[at] === LF) throw goesOn(reader);
      if (bytes[at] !== QUOTE) throw reader.wanted(at, aName);
      column++;
      let end = this.sameKey(column, at + 1);
      if (end === 0) {
        end = reader.name(at);
        column = this.columnAt(at + 1, end - 1);
        // Such a key is decoded, and a line may have megabytes of them.
        if (reader.hasEscapes) yield;
      }
      if (this.seenIn[column] === this.line) throw reader.repeated(this.names[column]!);
      this.seenIn[column] = this.line;
      const start = reader.behindColon(end);
      at = reader.isNested(start) ? yield* reader.nested(start) : reader.scalar(start);
      while (reader.isOpen) {
        yield;
        at = reader.more(at);
      }
      const { token } = reader;
      if (token === STRING) {
        if (!this.isNullMarker(start + 1, at - 1)) {
          if (!this.given[column]) this.judge(column, token, this.stringKind(start + 1, at - 1, column));
          scanned.cells.push(column, start + 1, at - 1, reader.hasCodes ? CODED : STRING);
        }
      } else if (token !== NULL_WORD) {
        if (!this.given[column]) this.judge(column, token, this.kindOf(token, start, at));
        scanned.cells.push(column, start, at, token);
      }
      at = reader.skipSpace(at);
      if (bytes[at] === CLOSE_OBJECT) return at + 1;
      if (bytes[at] !== COMMA) throw reader.wanted(at, commaOrBrace);
      at = reader.skipSpace(at + 1);
    }
  }

  /**
   * Compares the key at `from` with the key of the column at this position, because most lines have the same keys in the same order.
   * @returns the index after the key's closing quote; 0 if the keys differ
   */
  private sameKey(column: number, from: number): number {
    const key = this.keys[column];
    if (!key) return 0;
    for (let at = 0; at < key.length; at++) if (this.bytes[from + at] !== key[at]) return 0;
    return from + key.length;
  }

  private columnAt(start: number, end: number): number {
    const spelled = this.bytes.toString('latin1', start, end);
    const name = this.reader.hasEscapes ? this.reader.text(start, end) : null;
    const known = this.columnOf.get(name === null ? spelled : Buffer.from(name).toString('latin1'));
    return known ?? this.addColumn(name ?? this.bytes.toString('utf8', start, end));
  }

  private addColumn(key: string): number {
    const { reader, line } = this;
    const { mostColumns, names } = this.options;
    const problem = names ? null : nameProblem(key);
    if (problem) throw keyRefused(reader, key, problem);
    if (this.names.length === mostColumns) {
      throw reader.problem('too_many_columns', {
        zh: `文件里有超过 ${mostColumns} 个不同的键`,
        en: `the file has more than ${mostColumns} different keys`,
      });
    }
    const name = names?.ofNext(key) ?? key;
    this.options.checkName(name, line);
    const column = this.names.push(name) - 1;
    const isGiven = this.options.isGiven(name);
    this.columnOf.set(Buffer.from(key).toString('latin1'), column);
    // JSON can write a key with `"` or `\` in several ways, so such a key is decoded in each line instead of compared as bytes.
    this.keys.push(/["\\]/.test(key) ? null : Buffer.from(`${key}"`));
    this.given.push(isGiven);
    this.kinds.push(isGiven ? TEXT : UNKNOWN);
    for (const facts of [this.tokens, this.seenIn, this.lossyLines, this.widenedLines, this.mixedLines]) facts.push(0);
    this.needSplit();
    return column;
  }

  private stringKind(start: number, end: number, column: number): number {
    if (this.kinds[column] === TEXT) return TEXT;
    if (!this.reader.hasCodes) return kindOfString(this.bytes, start, end);
    if (end - start > longestTime) return TEXT;
    const text = Buffer.from(this.reader.text(start, end));
    return kindOfString(text, 0, text.length);
  }

  private kindOf(token: number, start: number, end: number): number {
    if (token === NESTED) return kindOfNested(this.reader.elements);
    return token === NUMBER ? classifyValue(this.bytes, start, end) : BOOLEAN;
  }

  private judge(column: number, token: number, found: number): void {
    const tokens = this.tokens[column]! | (1 << token);
    if (tokens !== this.tokens[column]) {
      if (this.tokens[column] !== 0) this.mixedLines[column] ||= this.line;
      this.tokens[column] = tokens;
    }
    const before = this.kinds[column]!;
    if (before === TEXT) return;
    const value = found & ~LOSSY;
    const kind = joinKinds(before, value);
    if (kind !== before) {
      this.needSplit();
      if (before === DATE && kind === TIMESTAMP) this.lossyLines[column] ||= this.line;
      this.kinds[column] = kind;
      this.widenedLines[column] = this.line;
    }
    if (kind !== TEXT && (found !== value || (kind === TIMESTAMP && value === DATE))) this.lossyLines[column] ||= this.line;
  }

  private needSplit(): void {
    this.scanned.split ??= { row: this.scanned.rows, line: this.line };
  }

  private isNullMarker(start: number, end: number): boolean {
    const { nullMarker } = this.options;
    // An escape has at most six bytes for each byte of the decoded text, so a longer string cannot be the marker.
    if (nullMarker === null || end - start > 6 * Buffer.byteLength(nullMarker)) return false;
    return this.reader.text(start, end) === nullMarker;
  }
}

function noRows(): ScannedRows {
  return { consumed: 0, rows: 0, rowEnds: [], rowLines: [], cells: [], split: null, blankLines: [] };
}

/** @param next the first byte of the first element, if the line is a list */
function noObject(reader: JsonReader, byte: number, next: number): SchemaError {
  if (byte !== OPEN_LIST) {
    return reader.problem('no_object', {
      zh: '每一行应是一个 JSON 对象，如 {"id": 1}',
      en: 'each line must be one JSON object, such as {"id": 1}',
    });
  }
  // A list over several lines has objects, as programs write it.
  if (next === OPEN_OBJECT || next === LF) {
    return reader.problem('no_object', {
      zh: "这一行是 JSON 列表；NDJSON 每行一个对象：jq -c '.[]' 文件.json",
      en: "the line is a JSON list; NDJSON has one object a line: jq -c '.[]' file.json",
    });
  }
  return reader.problem('no_object', {
    zh: '这一行是 JSON 列表，而 NDJSON 每行一个对象；请用 jq -r @csv 文件.json 把每个列表写成一行 CSV 再上传',
    en: 'the line is a JSON list, and NDJSON has one object a line; write each list as a line of CSV by jq -r @csv file.json, and upload that',
  });
}

function goesOn(reader: JsonReader): SchemaError {
  return reader.problem('no_object', {
    zh: '对象没有在这一行结束；NDJSON 每行一个对象：jq -c . 文件.json',
    en: 'the object does not end in its line; NDJSON has one object a line: jq -c . file.json',
  });
}

function keyRefused(reader: JsonReader, key: string, problem: NameProblem): SchemaError {
  const shown = [...key].slice(0, 100).join('');
  return reader.problem(problem.type, {
    zh: `键“${shown}”：${problem.zh}；${renameHint.zh}`,
    en: `key "${shown}": ${problem.en}; ${renameHint.en}`,
  });
}

function lineTooLong(reader: JsonReader): SchemaError {
  return reader.problem('record_too_long', {
    zh: '这一行超过 16 MiB；NDJSON 每行一个对象',
    en: 'the line is longer than 16 MiB; NDJSON has one object a line',
  });
}
