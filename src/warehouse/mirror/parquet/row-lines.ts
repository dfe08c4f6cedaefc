import { type TableColumn } from '../../clients/warehouse.client.js';
import { fromCopyField, nullField, toCopyField } from '../copy/copy-text.js';
import { type CopyTarget } from '../copy/copy-target.js';
import { fileProblem } from '../copy/file-problem.js';
import { longestRecordBytes } from '../csv/csv-encoding.js';
import { type FieldRewrite, longestRewritten, misread } from '../csv/field-rewrite.js';

const lineFeed = 10;
const tooLong = { zh: '这一行超过 16 MiB', en: 'the row is longer than 16 MiB' };

/**
 * Changes the COPY lines that DuckDB writes: it rewrites texts of columns whose table type is not text, and can put the row's number first.
 */
export class RowLines {
  private readonly rewrites: (FieldRewrite | null)[];
  private readonly isUnchanged: boolean;
  private readonly hasRewrites: boolean;
  private readonly hasLines: boolean;
  /** The pieces of a line that has not ended. Each piece is searched for a line feed only once. */
  private rest: Buffer[] = [];
  private restBytes = 0;
  private row = 0;

  constructor(
    private readonly columns: readonly TableColumn[],
    target: CopyTarget,
  ) {
    // Only text columns are rewritten: DuckDB writes values of other types as PostgreSQL does.
    this.rewrites = columns.map(({ name, type }) => (type === 'text' ? target.rewriteOf(name) : null));
    this.hasRewrites = this.rewrites.some(rewrite => rewrite !== null);
    this.hasLines = target.hasLines;
    this.isUnchanged = !this.hasRewrites && !this.hasLines;
  }

  /**
   * Takes a chunk. @returns the lines that are complete with it. @throws SchemaError with the row that is too long, or has a text that is
   * not in the form of its column
   */
  of(chunk: Buffer): Buffer {
    if (this.isUnchanged) return chunk;
    const end = chunk.lastIndexOf(lineFeed) + 1;
    this.restBytes += chunk.length;
    if (end === 0) {
      if (this.restBytes > longestRecordBytes) throw fileProblem('parquet', 'record_too_long', { line: this.row + 1 }, tooLong);
      this.rest.push(chunk);
      return Buffer.alloc(0);
    }
    const bytes = Buffer.concat([...this.rest, chunk.subarray(0, end)]);
    this.rest = [chunk.subarray(end)];
    this.restBytes = chunk.length - end;
    let text = '';
    for (const line of bytes.toString('utf8').split('\n').slice(0, -1)) {
      this.row++;
      text += `${this.hasLines ? `${this.row}\t` : ''}${this.hasRewrites ? this.rewritten(line) : line}\n`;
    }
    return Buffer.from(text);
  }

  private rewritten(line: string): string {
    const fields = line.split('\t');
    this.rewrites.forEach((rewrite, index) => {
      const field = fields[index]!;
      if (!rewrite || field === nullField) return;
      const text = fromCopyField(field.slice(0, longestRewritten));
      const rewritten = field.length > longestRewritten ? null : rewrite.rewrite(text);
      const column = this.columns[index]!.name;
      if (rewritten === null) throw fileProblem('parquet', 'value', { line: this.row, column }, misread(column, text, rewrite));
      fields[index] = toCopyField(rewritten);
    });
    return fields.join('\t');
  }
}
