import { listForm, type FieldRewrite, misread } from '../csv/field-rewrite.js';
import { toCopyField } from '../copy/copy-text.js';
import { fileProblem } from '../copy/file-problem.js';
import { NESTED, STRING } from './json-reader.js';
import { CODED, type ScannedRows } from './ndjson-scanner.js';

const TAB = 9;
const LF = 10;
const CR = 13;
const BACKSLASH = 92;
const LETTER_N = 78;
const pieceBytes = 256 * 1024;
const shortText = 64;

/** How the values of a column are written. */
export interface ColumnForm {
  name: string;
  /** A document keeps the quotes of its strings. */
  isDocument: boolean;
  rewrite: FieldRewrite | null;
}

/** The form of a column of a type. Lists that were found here are written as those of a given type are. */
export function columnForm(name: string, type: string, rewrite: FieldRewrite | null): ColumnForm {
  return { name, isDocument: /^jsonb?$/.test(type), rewrite: rewrite ?? (type.endsWith('[]') ? listForm : null) };
}

/**
 * Writes rows in the text format of COPY, in pieces of about 256 KiB. COPY knows the escapes of JSON, besides `\u`, so the bytes of most
 * strings go through unchanged.
 */
export class RowTexts {
  private out = Buffer.allocUnsafe(0);
  private size = 0;
  /** By column: its cell in the row that is written, and that row. */
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

  /** @throws SchemaError for a value that is not of the form of its column */
  *pieces(from: number, to: number): Generator<Buffer, void> {
    this.out = Buffer.allocUnsafe(pieceBytes * 2);
    for (let row = from; row < to; row++) {
      this.row(row);
      if (this.size < pieceBytes) continue;
      yield this.out.subarray(0, this.size);
      this.out = Buffer.allocUnsafe(pieceBytes * 2);
      this.size = 0;
    }
    if (this.size > 0) yield this.out.subarray(0, this.size);
  }

  private row(row: number): void {
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
      if (rowOf[column] === row) this.cell(forms[column]!, cellOf[column]!, rowLines[row]!);
      else {
        this.out[this.size++] = BACKSLASH;
        this.out[this.size++] = LETTER_N;
      }
    }
    this.reserve(1);
    this.out[this.size++] = LF;
  }

  private cell({ name, isDocument, rewrite }: ColumnForm, cell: number, line: number): void {
    const { cells } = this.scanned;
    const [start, end, token] = [cells[cell + 1]!, cells[cell + 2]!, cells[cell + 3]!];
    const isString = token === STRING || token === CODED;
    if (rewrite) {
      const text = isString ? this.decoded(start, end) : this.bytes.toString('utf8', start, end);
      const rewritten = rewrite.rewrite(text);
      if (rewritten === null) throw fileProblem('ndjson', 'value', { line, column: name }, misread(name, text, rewrite));
      this.text(toCopyField(rewritten));
    } else if (isDocument) {
      if (isString) this.raw(start - 1, end + 1);
      else this.raw(start, end);
    } else if (token === CODED) this.text(toCopyField(this.decoded(start, end)));
    else if (token === NESTED) this.raw(start, end);
    else this.copy(start, end);
  }

  private decoded(start: number, end: number): string {
    return JSON.parse(this.bytes.toString('utf8', start - 1, end + 1)) as string;
  }

  /** Bytes that COPY reads as they are. */
  private copy(start: number, end: number): void {
    this.reserve(end - start);
    const { bytes, out } = this;
    // For a hundred thousand short values, a call costs more than the bytes.
    if (end - start > shortText) {
      bytes.copy(out, this.size, start, end);
      this.size += end - start;
    } else for (let at = start; at < end;) out[this.size++] = bytes[at++]!;
  }

  /** JSON as it is written, with what COPY would read otherwise escaped. It has no line feed. */
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
