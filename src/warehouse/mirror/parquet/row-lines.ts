import { type TableColumn } from '../../clients/warehouse.client.js';
import { fromCopyField, nullField, toCopyField } from '../copy/copy-text.js';
import { type CopyTarget } from '../copy/copy-target.js';
import { fileProblem } from '../../files/file-problem.js';
import { longestRecordBytes } from '../../files/csv-encoding.js';
import { documentForm, type FieldRewrite, longestRewritten, misread } from '../../files/field-rewrite.js';
import { JsonReader } from '../../files/json-reader.js';
import { keyFault, tooManyKeys } from '../../files/unique-keys.js';
import { type Steps } from '../../../text/steps.js';

const tab = 9;
const lineFeed = 10;
const backslash = 92;
/** The values that are converted between two pauses, which takes a few milliseconds; rows, if no column is to be rewritten. */
const partsOfStep = 1_000;
/** Maximum number of UTF-8 bytes for one UTF-16 code unit. */
const bytesOfCharacter = 3;
const tooLong = { zh: '这一行超过 16 MiB', en: 'the row is longer than 16 MiB' };

/**
 * Changes the COPY lines that DuckDB writes: it rewrites texts for columns whose table type is not text, and puts the row number first if
 * the table has a column for it.
 */
export class RowLines {
  private readonly rewrites: (FieldRewrite | null)[];
  private readonly isUnchanged: boolean;
  private readonly hasRewrites: boolean;
  private readonly hasLines: boolean;
  private readonly json = new JsonReader(Buffer.alloc(0));
  /** The index of the column to which the next bytes belong. */
  private column = 0;
  /** The parts read so far of a value that is to be rewritten. */
  private value: Buffer[] = [];
  private valueBytes = 0;
  private rowBytes = 0;
  private isAtStart = true;
  private row = 0;

  constructor(
    private readonly columns: readonly TableColumn[],
    target: CopyTarget,
  ) {
    // DuckDB writes values as PostgreSQL does, so only texts have forms. Values of another type than that of the table are checked.
    this.rewrites = columns.map(({ name, type }) => {
      if (target.givenType(name) === 'jsonb' && (type === 'text' || type === 'json')) return documentForm;
      const form = target.rewriteOf(name);
      if (type === 'text' || form === null) return form;
      return type === target.givenType(name) ? null : form.typed === undefined ? form : form.typed;
    });
    this.hasRewrites = this.rewrites.some(rewrite => rewrite !== null);
    this.hasLines = target.hasLines;
    this.isUnchanged = !this.hasRewrites && !this.hasLines;
  }

  /**
   * Converts a chunk, which may end within a row. Only a value that is to be rewritten is kept until it is complete, and documents are read
   * in steps, so a row of 16 MiB is never processed in one step.
   * @returns the bytes to send for the chunk
   * @throws SchemaError with the row that is too long, or has a text that is not in the form of its column
   */
  *of(chunk: Buffer): Steps<Buffer> {
    if (this.isUnchanged) return chunk;
    const out: Buffer[] = [];
    let sent = 0;
    let parts = 0;
    for (let at = 0; at < chunk.length;) {
      if (++parts % partsOfStep === 0) yield;
      if (this.isAtStart && this.hasLines) {
        out.push(chunk.subarray(sent, at), Buffer.from(`${this.row + 1}\t`));
        sent = at;
      }
      this.isAtStart = false;
      const end = this.endOfPart(chunk, at);
      this.rowBytes += end - at;
      if (this.rowBytes > longestRecordBytes) throw fileProblem('parquet', 'record_too_long', { line: this.row + 1 }, tooLong);
      const rewrite = this.rewrites[this.column];
      if (rewrite) {
        out.push(chunk.subarray(sent, at));
        sent = end;
        this.hold(chunk.subarray(at, end), rewrite);
        if (end < chunk.length) out.push(yield* this.kept(rewrite));
      }
      at = end;
      if (at === chunk.length) break;
      if (chunk[at++] === tab) this.column++;
      else this.endRow();
    }
    out.push(chunk.subarray(sent));
    return Buffer.concat(out);
  }

  /** Finds the end of the next part of a row: the next tab if the row has values to rewrite, otherwise the next line feed. */
  private endOfPart(chunk: Buffer, from: number): number {
    if (!this.hasRewrites) {
      const end = chunk.indexOf(lineFeed, from);
      return end === -1 ? chunk.length : end;
    }
    let end = from;
    while (end < chunk.length && chunk[end] !== tab && chunk[end] !== lineFeed) end++;
    return end;
  }

  private endRow(): void {
    this.row++;
    this.rowBytes = 0;
    this.column = 0;
    this.isAtStart = true;
  }

  /**
   * Keeps a part of a value that is to be rewritten. A value that is too long for any rewrite is refused at once.
   * @throws SchemaError
   */
  private hold(part: Buffer, rewrite: FieldRewrite): void {
    this.value.push(part);
    this.valueBytes += part.length;
    if (this.valueBytes > bytesOfCharacter * longestRewritten && !rewrite.isDocument) this.rewritten(rewrite, Buffer.concat(this.value));
  }

  private *kept(rewrite: FieldRewrite): Steps<Buffer> {
    const bytes = Buffer.concat(this.value);
    this.value = [];
    this.valueBytes = 0;
    if (!rewrite.isDocument) return this.rewritten(rewrite, bytes);
    const fault = yield* keyFault(this.json, bytes, 0, bytes.length, backslash);
    if (fault === null) return bytes;
    const { name } = this.columns[this.column]!;
    const text = fault === 'twice' ? misread(name, fromCopyField(bytes.toString('utf8', 0, 400)), rewrite) : tooManyKeys;
    throw fileProblem('parquet', 'value', { line: this.row + 1, column: name }, text);
  }

  private rewritten(rewrite: FieldRewrite, bytes: Buffer): Buffer {
    const field = bytes.toString('utf8');
    if (field === nullField) return bytes;
    const text = fromCopyField(field.slice(0, longestRewritten));
    const rewritten = field.length > longestRewritten ? null : rewrite.rewrite(text);
    const { name } = this.columns[this.column]!;
    if (rewritten === null) throw fileProblem('parquet', 'value', { line: this.row + 1, column: name }, misread(name, text, rewrite));
    return Buffer.from(toCopyField(rewritten));
  }
}
