import { bareCarriageReturn, strayQuote, textAfterQuote, unterminatedQuote, wrongFieldCount } from './csv-problem.js';
import { type BlankLines } from '../copy/copy-lines.js';
import { type FieldRewrite, type Replacement, rewriteField } from './field-rewrite.js';
import {
  BIGINT,
  classifyValue,
  DATE,
  holdsKind,
  INT,
  isDate,
  type Kind,
  LOSSY,
  NUMERIC,
  TEXT,
  TIMESTAMP,
  widenKind,
} from './csv-values.js';

const LF = 10;
const CR = 13;
const QUOTE = 34;
const MINUS = 45;
const DOT = 46;

export interface ScannerOptions {
  /** One byte: comma, semicolon, tab or vertical bar. */
  delimiter: number;
  /** The unquoted bytes that mean NULL; empty for the empty field. */
  nullMarker: Uint8Array;
  columns: readonly string[];
  /** TEXT for columns with a given type, which PostgreSQL judges. UNKNOWN for columns to be inferred. */
  kinds: readonly Kind[];
  /** By column; null where no column has one. */
  rewrites?: readonly (FieldRewrite | null)[] | null;
  /** Each record gets its line as its first field. */
  isNumbered?: boolean;
  /** 1-based line at which the first record begins. */
  line: number;
}

/** The result of one pass over a block of bytes. */
export interface Scanned {
  /** Bytes of whole records from the start of the block. The rest belongs to an incomplete record. */
  consumed: number;
  records: number;
  /** Set when a value broke the type of its column: the first record of the block that needs the wider types. */
  split: { at: number; records: number; line: number } | null;
  /** Pairs [from, to) of bytes that must not reach PostgreSQL: carriage returns before a line feed, and blank lines. */
  deletions: number[];
  /** Fields that PostgreSQL reads in another spelling, ascending. */
  replacements: Replacement[];
  /** The blank lines among the deletions, as runs. */
  blankLines: BlankLines[];
  /** 1-based line that follows the consumed bytes. */
  line: number;
}

/**
 * Finds the records of a CSV file, counts their fields and lines, and widens the type of each column by its values, in one pass
 * over the bytes and without making strings. It reads RFC 4180 as PostgreSQL's `COPY … (FORMAT csv)` does, but refuses stray
 * quotes. Feed it blocks that begin at a record; the unconsumed bytes begin the next block.
 * The columns' types only ever widen, so the types after a block fit all its records. `split` tells from which record on the types
 * before the block are too narrow.
 */
export class CsvScanner {
  /** Current kind of each column. */
  readonly kinds: Uint8Array;
  /** Line of the first value of each column whose spelling its type would lose; 0 for none. */
  readonly lossyLines: Float64Array;
  /** Line of the value that last widened each column; 0 for none. */
  readonly widenedLines: Float64Array;
  /** 1-based line of the next record. */
  line: number;

  private readonly width: number;
  private readonly delimiter: number;
  /** Bytes above this are never special outside quotes. */
  private readonly highestSpecial: number;
  private readonly emptyIsNull: boolean;
  private split: Scanned['split'] = null;
  private replacements: Replacement[] = [];
  private recordStart = 0;
  private recordLine = 0;
  private records = 0;
  /** Set by `quotedField`: the line feeds inside the field, and whether it holds doubled quotes. */
  private quotedLines = 0;
  private quotedEscapes = false;

  constructor(private readonly options: ScannerOptions) {
    this.width = options.columns.length;
    this.kinds = Uint8Array.from(options.kinds);
    this.lossyLines = new Float64Array(this.width);
    this.widenedLines = new Float64Array(this.width);
    this.line = options.line;
    this.delimiter = options.delimiter;
    this.highestSpecial = Math.max(QUOTE, options.delimiter);
    this.emptyIsNull = options.nullMarker.length === 0;
  }

  /**
   * Scans the whole records of `bytes`. With `final` the last byte must be a line feed, and an incomplete record is an error.
   * @throws SchemaError naming the line of a broken record.
   */
  scan(bytes: Buffer, final: boolean): Scanned {
    const { delimiter, highestSpecial, kinds, width } = this;
    // Every unquoted loop below ends at a line feed, so nothing reads past this.
    const limit = bytes.lastIndexOf(LF) + 1;
    const deletions: number[] = [];
    const blankLines: BlankLines[] = [];
    this.split = null;
    this.replacements = [];
    this.records = 0;
    const rewrites = this.options.rewrites ?? null;
    let at = 0;

    while (at < limit) {
      const recordStart = at;
      let line = this.line;
      this.recordStart = recordStart;
      this.recordLine = line;
      // With one column a blank line is a NULL, as COPY writes it. With more columns it is skipped.
      if (width > 1) {
        let count = 0;
        for (let blank = blankLine(bytes, at); blank > 0; blank = blankLine(bytes, at)) {
          at += blank;
          count++;
        }
        if (count > 0) {
          deletions.push(recordStart, at);
          blankLines.push({ line, count });
          this.line += count;
          continue;
        }
      }
      if (this.options.isNumbered) {
        this.replacements.push({ from: at, to: at, bytes: Buffer.from(`${line}${String.fromCharCode(delimiter)}`) });
      }
      let column = 0;
      for (;;) {
        const fieldStart = at;
        let byte = bytes[at]!;
        if (byte === QUOTE) {
          const end = this.quotedField(bytes, at, limit, column, line, final);
          if (end === 0) return this.scanned(recordStart, deletions, blankLines, this.recordLine);
          line += this.quotedLines;
          at = end;
          byte = bytes[at]!;
        } else {
          const start = at;
          const kind = column < width ? kinds[column]! : TEXT;
          // Numbers are checked while their end is searched. For all other kinds the end is found first.
          if (kind === INT || kind === BIGINT || kind === NUMERIC) {
            if (byte === MINUS) byte = bytes[++at]!;
            const digits = at;
            while (byte >= 48 && byte <= 57) byte = bytes[++at]!;
            const whole = at - digits;
            // Leading zeros, negative zeros and numbers that may not fit their type take the slow check below.
            let plain = whole > 0 && whole <= (kind === INT ? 9 : 18) && (bytes[digits] !== 48 || (whole === 1 && digits === start));
            if (plain && kind === NUMERIC && byte === DOT) {
              const fraction = at + 1;
              do byte = bytes[++at]!;
              while (byte >= 48 && byte <= 57);
              plain = at > fraction;
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
        if (form) this.rewrite(form, bytes, fieldStart, at, column, line);
        column++;
        if (byte === delimiter) {
          at++;
          continue;
        }
        if (byte === CR) {
          deletions.push(at, at + 1);
          at++;
        }
        at++;
        break;
      }
      if (column !== width) throw wrongFieldCount({ line: this.recordLine }, column, width);
      this.records++;
      this.line = line + 1;
    }
    return this.scanned(limit, deletions, blankLines, this.line);
  }

  private scanned(consumed: number, deletions: number[], blankLines: BlankLines[], line: number): Scanned {
    const { records, split, replacements } = this;
    return { consumed, records, split, deletions, replacements, blankLines, line };
  }

  /** @throws SchemaError for a field that is not of the form of its column */
  private rewrite(form: FieldRewrite, bytes: Buffer, start: number, end: number, column: number, line: number): void {
    if (bytes[start] !== QUOTE && this.isNull(bytes, start, end)) return;
    const field = bytes.toString('utf8', start, end);
    const rewritten = rewriteField(form, field, this.place(line, column));
    if (rewritten !== field) this.replacements.push({ from: start, to: end, bytes: Buffer.from(rewritten) });
  }

  /** The end of an unquoted field: at a delimiter, a line feed, or the carriage return before one. */
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

  /** The end of a quoted field that starts at `from`, or 0 when the bytes do not hold its end yet. */
  private quotedField(bytes: Uint8Array, from: number, limit: number, column: number, line: number, final: boolean): number {
    let at = from + 1;
    let lines = 0;
    let escapes = false;
    for (;;) {
      let byte = 0;
      while (at < limit && (byte = bytes[at]!) !== QUOTE) {
        if (byte === LF) lines++;
        at++;
      }
      if (at >= limit) {
        if (final) throw unterminatedQuote(this.place(line, column));
        return 0;
      }
      if (bytes[at + 1] !== QUOTE) break;
      escapes = true;
      at += 2;
    }
    const end = at + 1;
    const next = bytes[end]!;
    if (next !== this.delimiter && next !== LF && !(next === CR && bytes[end + 1] === LF)) {
      throw textAfterQuote(this.place(line + lines, column));
    }
    this.quotedLines = lines;
    this.quotedEscapes = escapes;
    const kind = column < this.width ? this.kinds[column]! : TEXT;
    if (kind !== TEXT) this.judgeValue(bytes, from + 1, at, column, line);
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
    const kind = this.kinds[column]!;
    if (!holdsKind(kind, value)) {
      const wider = widenKind(kind, value);
      this.split ??= { at: this.recordStart, records: this.records, line: this.recordLine };
      if (wider === TIMESTAMP && kind === DATE) this.lossyLines[column] ||= this.recordLine;
      this.kinds[column] = wider;
      this.widenedLines[column] = line;
    }
    if (found !== value || value !== this.kinds[column]) this.noteRespelling(column, value, found !== value, line);
  }

  /** Remembers that the type of a column does not give its values back as the file spells them. */
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
