import { type SchemaError } from '../../../common/errors/api-error.js';
import { listForm, type FieldRewrite, longestRewritten, misread } from '../../files/field-rewrite.js';
import { inOptions } from '../csv/way-out.js';
import { toCopyField } from '../copy/copy-text.js';
import { fileProblem } from '../../files/file-problem.js';
import { NESTED, NUMBER, STRING } from '../../files/json-reader.js';
import { CODED, type ScannedRows } from './ndjson-scanner.js';

const TAB = 9;
const LF = 10;
const CR = 13;
const BACKSLASH = 92;
const LETTER_N = 78;
const LETTER_U = 117;
const QUOTE = 34;
const COMMA = 44;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const pieceBytes = 256 * 1024;
/**
 * How many bytes of a value are written between two pauses, so that a long value does not block the event loop. A list is written in parts
 * of `partOfList` bytes, each of which takes some milliseconds.
 */
const stepBytes = 64 * 1024;
const partOfList = 16 * 1024;
/** Maximum number of bytes of one element of a long list. An element is written without a pause, so longer ones are refused. */
const longestElement = 1024 * 1024;
const shortText = 64;

/** How the values of a column are written in the format of COPY. */
export interface ColumnForm {
  name: string;
  /** True for the types json and jsonb: their strings keep their quotes. */
  isDocument: boolean;
  rewrite: FieldRewrite | null;
}

/** Returns the form of a column. If its list type was inferred from the file, it gets the same rewrite as a given list type. */
export function columnForm(name: string, type: string, rewrite: FieldRewrite | null): ColumnForm {
  return { name, isDocument: /^jsonb?$/.test(type), rewrite: rewrite ?? (type.endsWith('[]') ? listForm : null) };
}

/**
 * Writes rows in the text format of COPY, in pieces of about 256 KiB. COPY reads the escapes of JSON, except for `\u`, so most strings are
 * copied unchanged.
 */
export class RowTexts {
  private out = Buffer.allocUnsafe(0);
  private size = 0;
  /** By column index: where the column's last cell begins in `cells`, and the row of this cell. */
  private readonly cellOf: number[];
  private readonly rowOf: number[];

  constructor(
    private readonly bytes: Buffer,
    private readonly scanned: ScannedRows,
    private readonly forms: readonly ColumnForm[],
    private readonly hasLines: boolean,
  ) {
    this.cellOf = forms.map(() => 0);
    this.rowOf = forms.map(() => -1);
  }

  /**
   * Yields the text of the rows from `from` to `to - 1` in pieces. A null marks a point at which the caller may pause.
   * @throws SchemaError for a value that is not in the form of its column
   */
  *pieces(from: number, to: number): Generator<Buffer | null, void> {
    this.out = Buffer.allocUnsafe(pieceBytes * 2);
    for (let row = from; row < to; row++) {
      yield* this.row(row);
      if (this.size >= pieceBytes) yield this.take();
    }
    if (this.size > 0) yield this.take();
  }

  private take(): Buffer {
    const piece = this.out.subarray(0, this.size);
    this.out = Buffer.allocUnsafe(pieceBytes * 2);
    this.size = 0;
    return piece;
  }

  private *row(row: number): Generator<Buffer | null, void> {
    const { cellOf, forms, rowOf, scanned } = this;
    const { cells, rowEnds, rowLines } = scanned;
    const end = rowEnds[row]!;
    for (let cell = row === 0 ? 0 : rowEnds[row - 1]!; cell < end; cell += 4) {
      const column = cells[cell]!;
      cellOf[column] = cell;
      rowOf[column] = row;
    }
    if (this.hasLines) this.text(`${rowLines[row]!}\t`);
    for (let column = 0; column < forms.length; column++) {
      this.reserve(3);
      if (column > 0) this.out[this.size++] = TAB;
      const cell = cellOf[column]!;
      if (rowOf[column] !== row) {
        this.out[this.size++] = BACKSLASH;
        this.out[this.size++] = LETTER_N;
      } else if (cells[cell + 2]! - cells[cell + 1]! > stepBytes) yield* this.longCell(forms[column]!, cell, rowLines[row]!);
      else this.cell(forms[column]!, cell, rowLines[row]!);
    }
    this.reserve(1);
    this.out[this.size++] = LF;
  }

  private cell({ name, isDocument, rewrite }: ColumnForm, cell: number, line: number): void {
    const { cells } = this.scanned;
    const [start, end, token] = [cells[cell + 1]!, cells[cell + 2]!, cells[cell + 3]!];
    const isString = token === STRING || token === CODED;
    const form = rewrite?.decimalSign && token === NUMBER ? (rewrite.typed ?? null) : rewrite;
    if (form?.isKept && token !== CODED && end > start && form.isKept(this.bytes, start, end)) this.copy(start, end);
    else if (form) {
      if (end - start > longestRewritten) throw misreadAt(line, name, this.bytes.toString('utf8', start, start + 400), form);
      const text = isString ? this.decoded(start, end) : this.bytes.toString('utf8', start, end);
      // The braces of `{}` are those of an object, and not of an array literal.
      const isOther = form.isList && token === NESTED && this.bytes[start] === OPEN_OBJECT;
      const rewritten = isOther ? null : form.rewrite(text);
      if (rewritten === null) throw misreadAt(line, name, text, form);
      this.text(toCopyField(rewritten));
    } else if (isDocument) {
      if (isString) this.raw(start - 1, end + 1);
      else this.raw(start, end);
    } else if (token === CODED) this.text(toCopyField(this.decoded(start, end)));
    else if (token === NESTED) this.raw(start, end);
    else this.copy(start, end);
  }

  /** Writes a cell of more than `stepBytes` bytes in parts, with pauses between them. */
  private *longCell(form: ColumnForm, cell: number, line: number): Generator<Buffer | null, void> {
    const { cells } = this.scanned;
    const [start, end, token] = [cells[cell + 1]!, cells[cell + 2]!, cells[cell + 3]!];
    const isString = token === STRING || token === CODED;
    if (form.rewrite?.isList && token === NESTED && this.bytes[start] === OPEN_LIST)
      yield* this.list(form.name, form.rewrite, start, end, line);
    else if (form.rewrite) this.cell(form, cell, line);
    else if (token === CODED && !form.isDocument) {
      for (let at = start; at < end;) {
        const to = this.endOfPart(at, end);
        this.text(toCopyField(JSON.parse(`"${this.bytes.toString('utf8', at, to)}"`) as string));
        at = to;
        yield this.size >= pieceBytes ? this.take() : null;
      }
    } else if (isString && !form.isDocument) this.copy(start, end);
    else {
      const [from, to] = isString ? [start - 1, end + 1] : [start, end];
      for (let at = from; at < to; at += stepBytes) {
        this.raw(at, Math.min(at + stepBytes, to));
        yield this.size >= pieceBytes ? this.take() : null;
      }
    }
  }

  /**
   * Rewrites a long JSON list as a PostgreSQL array, in parts of whole elements. Each part is rewritten as a list of its own, and the
   * braces of its result are left out.
   */
  private *list(name: string, form: FieldRewrite, start: number, end: number, line: number): Generator<Buffer | null, void> {
    const { bytes } = this;
    let isInString = false;
    let depth = 0;
    let separator = '{';
    for (let at = start + 1, from = at; at < end; at++) {
      const byte = bytes[at]!;
      if (isInString) {
        if (byte === BACKSLASH) at++;
        else isInString = byte !== QUOTE;
      } else if (byte === QUOTE) isInString = true;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth++;
      else if ((byte === CLOSE_LIST || byte === CLOSE_OBJECT) && at < end - 1) depth--;
      const isEnd = at === end - 1;
      if (!isEnd && (isInString || depth > 0 || byte !== COMMA || at - from < partOfList)) continue;
      if (at - from > longestElement + partOfList) throw elementTooLong(line, name);
      const text = `[${bytes.toString('utf8', from, at)}]`;
      const rewritten = form.rewrite(text);
      if (rewritten === null) throw misreadAt(line, name, text, form);
      this.text(separator + toCopyField(rewritten.slice(1, -1)));
      separator = ',';
      from = at + 1;
      yield this.size >= pieceBytes ? this.take() : null;
    }
    this.text('}');
  }

  /**
   * Finds the end of the next part of a string. A part contains only whole escapes, UTF-8 characters and surrogate pairs of `\u` escapes.
   */
  private endOfPart(from: number, end: number): number {
    if (end - from <= stepBytes) return end;
    const { bytes } = this;
    for (let at = from; ;) {
      const byte = bytes[at]!;
      let next = at + 1;
      if (byte === BACKSLASH) {
        const isHigh = bytes[at + 1] === LETTER_U && /^[dD][89abAB]/.test(bytes.toString('latin1', at + 2, at + 4));
        next = at + (bytes[at + 1] !== LETTER_U ? 2 : isHigh ? 12 : 6);
      } else while (next < end && (bytes[next]! & 0xc0) === 0x80) next++;
      if (next - from > stepBytes || next >= end) return Math.min(next, end);
      at = next;
    }
  }

  private decoded(start: number, end: number): string {
    return JSON.parse(this.bytes.toString('utf8', start - 1, end + 1)) as string;
  }

  /** Writes bytes of the block that COPY reads unchanged. */
  private copy(start: number, end: number): void {
    this.reserve(end - start);
    const { bytes, out } = this;
    // A call of `Buffer.copy` costs more than copying a short value byte by byte.
    if (end - start > shortText) {
      bytes.copy(out, this.size, start, end);
      this.size += end - start;
    } else for (let at = start; at < end;) out[this.size++] = bytes[at++]!;
  }

  /** Writes JSON as the file has it, with each backslash, tab and carriage return escaped for COPY. The JSON has no line feed. */
  private raw(start: number, end: number): void {
    this.reserve(2 * (end - start));
    const { bytes, out } = this;
    for (let at = start; at < end; at++) {
      const byte = bytes[at]!;
      if (byte !== BACKSLASH && byte !== TAB && byte !== CR) out[this.size++] = byte;
      else {
        out[this.size++] = BACKSLASH;
        out[this.size++] = byte === TAB ? 116 : byte === CR ? 114 : BACKSLASH;
      }
    }
  }

  private text(text: string): void {
    this.reserve(Buffer.byteLength(text));
    this.size += this.out.write(text, this.size);
  }

  private reserve(bytes: number): void {
    if (this.size + bytes <= this.out.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.size + bytes));
    this.out.copy(larger, 0, 0, this.size);
    this.out = larger;
  }
}

function elementTooLong(line: number, column: string): SchemaError {
  const option = `types=${inOptions(column)}:jsonb`;
  return fileProblem(
    'ndjson',
    'value',
    { line, column },
    {
      zh: `列“${column}”的列表有一个元素超过 1 MiB；可用 ${option} 存为 jsonb`,
      en: `column "${column}": an element of the list is longer than 1 MiB; ${option} keeps the list as jsonb`,
    },
  );
}

function misreadAt(line: number, column: string, text: string, form: FieldRewrite): SchemaError {
  return fileProblem('ndjson', 'value', { line, column }, misread(column, text, form));
}
