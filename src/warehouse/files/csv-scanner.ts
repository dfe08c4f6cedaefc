import { bareCarriageReturn, csvProblem, strayQuote, textAfterQuote, unterminatedQuote, wrongFieldCount } from './csv-problem.js';
import { cut } from '../../text/cut.js';
import { type Steps } from '../../text/steps.js';
import { JsonReader } from './json-reader.js';
import { keyFault, tooManyKeys } from './unique-keys.js';
import { type BlankLines } from './copy-lines.js';
import { CsvRows } from './csv-rows.js';
import { type FieldRewrite, longestRewritten, misread, onOneLine, rewriteField, unquoted } from './field-rewrite.js';
import {
  BIGINT,
  classifyValue,
  COMMAS,
  DATE,
  GROUPED,
  holdsKind,
  INT,
  isDate,
  isText,
  type Kind,
  LOSSY,
  NUMERIC,
  signOf,
  SURE_COMMA,
  SURE_POINT,
  TEXT,
  TIMESTAMP,
  UNKNOWN,
  widenKind,
} from './csv-values.js';

const LF = 10;
const CR = 13;
const QUOTE = 34;
const MINUS = 45;
const DOT = 46;
/** The lines behind which a value that makes its column text is told: codes such as A3 mostly come among the first lines. */
const lateLines = 100;
/** The most characters of such a value that are told. */
const mostShown = 40;
const bothSigns = SURE_COMMA | SURE_POINT;

/** Bytes that are scanned between two pauses. Their rows take less than a millisecond, or some milliseconds if fields are rewritten. */
const stepBytes = 8 * 1024;
/** Bytes of a quoted field that are read between two pauses. */
const partBytes = 64 * 1024;

export interface ScannerOptions {
  /** The byte of a comma, semicolon, tab or vertical bar. */
  delimiter: number;
  /** The bytes of an unquoted field that mean NULL. An empty marker means that the empty field is NULL. */
  nullMarker: Uint8Array;
  columns: readonly string[];
  /**
   * The initial kind of each column. It is TEXT for a column whose type is given, because PostgreSQL checks its values, and UNKNOWN for a
   * column whose type is inferred.
   */
  kinds: readonly Kind[];
  /**
   * The rewrite of each column's fields, by column index. An element is null if the fields of its column stay unchanged; the whole list is
   * null if all fields do.
   */
  rewrites?: readonly (FieldRewrite | null)[] | null;
  /** Adds a first field to each record: the line of the file at which the record begins. */
  isNumbered?: boolean;
  /** 1-based line at which the first record begins. */
  line: number;
}

/** The result of one pass over a block of bytes. */
export interface Scanned {
  /** Number of bytes from the start of the block that were scanned as whole records. The rest of the block belongs to the next block. */
  consumed: number;
  records: number;
  /** The records in the form that PostgreSQL reads, up to `split`. Carriage returns before a line feed and blank lines are left out. */
  rows: Buffer[];
  /**
   * Null if all values fit the types that the columns had before the block. Otherwise the records from the first one that needs wider
   * types, and its line.
   */
  split: { line: number; rows: Buffer[] } | null;
  /** The blank lines that were left out of `rows`, as runs of consecutive lines. */
  blankLines: BlankLines[];
  /** 1-based line that follows the consumed bytes. */
  line: number;
}

/**
 * Finds the records of a CSV file, counts their fields and lines, and widens the type of each column by its values, in one pass over the
 * bytes and without creating strings. The scanner reads RFC 4180 as PostgreSQL's `COPY … (FORMAT csv)` does, but refuses stray quotes. Each
 * block must begin at a record; the unconsumed bytes of a block begin the next block. The types of columns only ever widen, so the types
 * after a block fit all records of the block. `split` has the records from the first one for which the types before the block are too
 * narrow.
 */
export class CsvScanner {
  /** Current kind of each column. */
  readonly kinds: Uint8Array;
  /** By column index: the line of the first value that PostgreSQL would print in another spelling under the column's type; 0 for none. */
  readonly lossyLines: Float64Array;
  /** By column index: the line of the value that last widened the column's kind; 0 for none. */
  readonly widenedLines: Float64Array;
  /** By column index, of columns that a value far behind the first record made text: the value, its line, and the kind before it. */
  readonly lateTexts = new Map<number, { line: number; kind: Kind; text: string }>();
  /** By column index: the bits that `signOf` returned for the column's numbers. */
  readonly signs: Uint8Array;
  private readonly json = new JsonReader(Buffer.alloc(0));
  /** 1-based line of the next record. */
  line: number;

  private readonly width: number;
  private readonly delimiter: number;
  /** The highest byte value that has a meaning outside quotes, such as the delimiter. */
  private readonly highestSpecial: number;
  private readonly emptyIsNull: boolean;
  private readonly isCopied: boolean;
  private rows = new CsvRows(Buffer.alloc(0), false);
  private blankLines: BlankLines[] = [];
  /** The line of the first record of the block that needs wider types; 0 for none. */
  private splitLine = 0;
  private recordLine = 0;
  private records = 0;
  /** Set by `quotedField`: the number of line feeds in the quoted field so far, and whether the field holds doubled quotes. */
  private quotedLines = 0;
  private quotedEscapes = false;

  constructor(private readonly options: ScannerOptions) {
    this.width = options.columns.length;
    this.kinds = Uint8Array.from(options.kinds);
    this.lossyLines = new Float64Array(this.width);
    this.widenedLines = new Float64Array(this.width);
    this.signs = new Uint8Array(this.width);
    this.line = options.line;
    this.delimiter = options.delimiter;
    this.highestSpecial = Math.max(QUOTE, options.delimiter);
    this.emptyIsNull = options.nullMarker.length === 0;
    this.isCopied = (options.rewrites ?? []).some(form => form !== null && !form.isCheck) || options.isNumbered === true;
  }

  /**
   * Scans the whole records of `bytes`, in steps. With `final` the last byte must be a line feed, and an incomplete record is an error. The
   * returned rows may use the memory of `bytes`.
   * @param most the number of bytes after the first record in which further records may begin; later records are left for the next block
   * @throws SchemaError naming the line of a broken record
   */
  *scan(bytes: Buffer, final: boolean, most: number): Steps<Scanned> {
    const { delimiter, highestSpecial, kinds, width } = this;
    // Every unquoted loop below ends at a line feed, so no loop reads past `limit`.
    const limit = bytes.lastIndexOf(LF) + 1;
    const rows = new CsvRows(bytes, this.isCopied);
    this.rows = rows;
    this.blankLines = [];
    this.splitLine = 0;
    this.records = 0;
    const rewrites = this.options.rewrites ?? null;
    const isNumbered = this.options.isNumbered ?? false;
    let at = 0;
    let end = limit;
    let pauseAt = stepBytes;

    while (at < end) {
      if (at >= pauseAt) {
        pauseAt = at + stepBytes;
        yield;
      }
      const recordStart = at;
      let line = this.line;
      this.recordLine = line;
      // If the file has one column, a blank line is a NULL, as in the output of COPY. If it has several, a blank line is skipped.
      if (width > 1) {
        let count = 0;
        for (let blank = blankLine(bytes, at); blank > 0 && at < pauseAt; blank = blankLine(bytes, at)) {
          at += blank;
          count++;
        }
        if (count > 0) {
          rows.leaveOut(recordStart, at);
          this.skip(count);
          continue;
        }
      }
      rows.begin(at);
      if (isNumbered) rows.number(line, delimiter);
      let column = 0;
      for (;;) {
        const fieldStart = at;
        const fieldLine = line;
        let byte = bytes[at]!;
        if (byte === QUOTE) {
          this.quotedLines = 0;
          this.quotedEscapes = false;
          let fieldEnd = this.quotedField(bytes, at, at + 1, limit, column, line);
          while (fieldEnd < 0) {
            yield;
            fieldEnd = this.quotedField(bytes, at, -fieldEnd, limit, column, line);
          }
          if (fieldEnd === 0) {
            if (final) throw unterminatedQuote(this.place(line, column));
            return this.scanned(recordStart, rows.before(recordStart));
          }
          line += this.quotedLines;
          at = fieldEnd;
          byte = bytes[at]!;
        } else {
          const start = at;
          const kind = column < width ? kinds[column]! : TEXT;
          // For a column of numbers, the loop that finds the end of a value also checks it. For all other kinds the end is found first.
          if (kind === INT || kind === BIGINT || kind === NUMERIC) {
            if (byte === MINUS) byte = bytes[++at]!;
            const digits = at;
            while (byte >= 48 && byte <= 57) byte = bytes[++at]!;
            const whole = at - digits;
            // Numbers with leading zeros, negative zeros and numbers that may not fit their type take the slow check below.
            let plain = whole > 0 && whole <= (kind === INT ? 9 : 18) && (bytes[digits] !== 48 || (whole === 1 && digits === start));
            if (plain && kind === NUMERIC && byte === DOT) {
              const fraction = at + 1;
              do byte = bytes[++at]!;
              while (byte >= 48 && byte <= 57);
              plain = at > fraction;
              // Once a column surely has decimal points, a number without a comma adds nothing.
              if (plain && (this.signs[column]! & SURE_POINT) === 0) this.noteSign(bytes, start, at, column);
            }
            if (!plain || (byte !== delimiter && byte !== LF && !(byte === CR && bytes[at + 1] === LF))) {
              at = this.endOfField(bytes, at, line, column);
              byte = bytes[at]!;
              this.judge(bytes, start, at, column, line);
            }
          } else {
            for (;;) {
              while (byte > highestSpecial) byte = bytes[++at]!;
              if (byte === delimiter || byte === LF) break;
              if (byte === CR || byte === QUOTE) {
                at = this.endOfField(bytes, at, line, column);
                byte = bytes[at]!;
                break;
              }
              byte = bytes[++at]!;
            }
            if (kind !== TEXT) {
              if (kind !== DATE || at - start !== 10 || !isDate(bytes, start)) this.judge(bytes, start, at, column, line);
            }
          }
        }
        const form = rewrites?.[column];
        if (form) {
          if (form.isDocument) yield* this.requireKeys(form, bytes, fieldStart, at, column, fieldLine);
          else this.rewrite(form, bytes, fieldStart, at, column, fieldLine);
        }
        column++;
        if (byte === delimiter) {
          at++;
          if (at < pauseAt) continue;
          pauseAt = at + stepBytes;
          yield;
          continue;
        }
        if (byte === CR) {
          rows.leaveOut(at, at + 1);
          at++;
        }
        at++;
        break;
      }
      if (column !== width) throw wrongFieldCount({ line: this.recordLine }, column, width);
      this.line = line + 1;
      if (++this.records === 1) end = Math.min(limit, at + most);
    }
    return this.scanned(at, rows.upTo(at));
  }

  private scanned(consumed: number, { rows, behind }: { rows: Buffer[]; behind: Buffer[] }): Scanned {
    const { blankLines, line, records, splitLine } = this;
    return { consumed, records, rows, split: splitLine === 0 ? null : { line: splitLine, rows: behind }, blankLines, line };
  }

  /** Notes `count` blank lines at the current line. Lines that follow the last run are added to that run. */
  private skip(count: number): void {
    const last = this.blankLines.at(-1);
    if (last && last.line + last.count === this.line) last.count += count;
    else this.blankLines.push({ line: this.line, count });
    this.line += count;
  }

  /** Puts the field in the spelling that PostgreSQL reads. @throws SchemaError for a field that is not in the form that `form` expects */
  private rewrite(form: FieldRewrite, bytes: Buffer, start: number, end: number, column: number, line: number): void {
    const quote = bytes[start] === QUOTE ? 1 : 0;
    if (quote === 0 && this.isNull(bytes, start, end)) return;
    if (form.isKept && end - start > 2 * quote && form.isKept(bytes, start + quote, end - quote)) return;
    const field = bytes.toString('utf8', start, Math.min(end, start + longestRewritten));
    const place = this.place(line, column);
    if (end - start > longestRewritten) throw csvProblem('value', place, misread(place.column ?? '', field, form));
    const rewritten = rewriteField(form, field, place);
    if (rewritten !== field) this.rows.replace(start, end, rewritten);
  }

  /** @throws SchemaError for a JSON document in which an object has a key twice */
  private *requireKeys(form: FieldRewrite, bytes: Buffer, start: number, end: number, column: number, line: number): Steps<void> {
    const isQuoted = bytes[start] === QUOTE;
    if (!isQuoted && this.isNull(bytes, start, end)) return;
    const fault = yield* keyFault(this.json, bytes, isQuoted ? start + 1 : start, isQuoted ? end - 1 : end, isQuoted ? QUOTE : null);
    if (fault === null) return;
    const place = this.place(line, column);
    const shown = unquoted(bytes.toString('utf8', start, Math.min(end, start + 400)));
    throw csvProblem('value', place, fault === 'twice' ? misread(place.column ?? '', shown, form) : tooManyKeys);
  }

  /** @returns the end of an unquoted field: the place of a delimiter, a line feed, or the carriage return before a line feed */
  private endOfField(bytes: Uint8Array, from: number, line: number, column: number): number {
    for (let at = from; ; at++) {
      const byte = bytes[at]!;
      if (byte === this.delimiter || byte === LF) return at;
      if (byte === CR) {
        if (bytes[at + 1] === LF) return at;
        throw bareCarriageReturn(this.place(line, column));
      }
      if (byte === QUOTE) throw strayQuote(this.place(line, column));
    }
  }

  /**
   * Scans a quoted field that starts at `start`. Begins at byte `from` and scans at most `partBytes`.
   * @returns the end of the field; 0 if the end is not in this block; the negative of the byte at which to continue after a pause
   */
  private quotedField(bytes: Uint8Array, start: number, from: number, limit: number, column: number, line: number): number {
    const until = Math.min(limit, from + partBytes);
    let at = from;
    let lines = this.quotedLines;
    for (;;) {
      let byte = 0;
      while (at < until && (byte = bytes[at]!) !== QUOTE) {
        if (byte === LF) lines++;
        at++;
      }
      if (at >= until) {
        this.quotedLines = lines;
        return at >= limit ? 0 : -at;
      }
      if (bytes[at + 1] !== QUOTE) break;
      this.quotedEscapes = true;
      at += 2;
    }
    const end = at + 1;
    const next = bytes[end]!;
    if (next !== this.delimiter && next !== LF && !(next === CR && bytes[end + 1] === LF)) {
      throw textAfterQuote(this.place(line + lines, column));
    }
    this.quotedLines = lines;
    const kind = column < this.width ? this.kinds[column]! : TEXT;
    if (kind !== TEXT) this.judgeValue(bytes, start + 1, at, column, line);
    return end;
  }

  /** Widens the column if the unquoted field is neither NULL nor of the column's kind. */
  private judge(bytes: Uint8Array, start: number, end: number, column: number, line: number): void {
    if (this.isNull(bytes, start, end)) return;
    this.quotedEscapes = false;
    this.judgeValue(bytes, start, end, column, line);
  }

  private judgeValue(bytes: Uint8Array, start: number, end: number, column: number, line: number): void {
    const found = start === end || this.quotedEscapes ? TEXT : classifyValue(bytes, start, end);
    const value = found & ~LOSSY;
    if (value === NUMERIC || value === COMMAS || value === GROUPED) this.noteSign(bytes, start, end, column);
    const kind = this.kinds[column]!;
    if (!holdsKind(kind, value)) {
      const wider = widenKind(kind, value);
      if (this.splitLine === 0) {
        this.splitLine = this.recordLine;
        this.rows.cutHere();
      }
      if (wider === TIMESTAMP && kind === DATE) this.lossyLines[column] ||= this.recordLine;
      if (isText(wider) && kind !== UNKNOWN && !isText(kind) && line - this.options.line >= lateLines) {
        const raw = Buffer.from(bytes.subarray(start, Math.min(end, start + 8 * mostShown + 8))).toString();
        const shown = this.quotedEscapes ? raw.replaceAll('""', '"') : raw;
        this.lateTexts.set(column, { line, kind: kind as Kind, text: cut(onOneLine(shown), mostShown) });
      }
      this.kinds[column] = wider;
      this.widenedLines[column] = line;
    }
    if (found !== value || value !== this.kinds[column]) this.noteRespelling(column, value, found !== value, line);
  }

  private noteSign(bytes: Uint8Array, start: number, end: number, column: number): void {
    const known = this.signs[column]!;
    if ((known & bothSigns) !== bothSigns) this.signs[column] = known | signOf(bytes, start, end);
  }

  /** Notes in `lossyLines` a value that PostgreSQL would print in another spelling under the column's type. */
  private noteRespelling(column: number, value: number, lossy: boolean, line: number): void {
    const kind = this.kinds[column];
    if (kind !== TEXT && (lossy || (kind === TIMESTAMP && value === DATE))) this.lossyLines[column] ||= line;
  }

  private isNull(bytes: Uint8Array, start: number, end: number): boolean {
    if (this.emptyIsNull) return start === end;
    const marker = this.options.nullMarker;
    if (end - start !== marker.length) return false;
    for (let at = 0; at < marker.length; at++) if (bytes[start + at] !== marker[at]) return false;
    return true;
  }

  private place(line: number, column: number): { line: number; column: string | undefined } {
    return { line, column: this.options.columns[column] };
  }
}

/** Length in bytes of the blank line at `at`, or 0 if the line is not blank. */
function blankLine(bytes: Uint8Array, at: number): number {
  if (bytes[at] === LF) return 1;
  return bytes[at] === CR && bytes[at + 1] === LF ? 2 : 0;
}
