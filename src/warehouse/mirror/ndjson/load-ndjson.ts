import { isUtf8 } from 'node:buffer';
import { inTurns, Pace } from '../../../common/turns/pace.js';
import { type SchemaError } from '../../../common/errors/api-error.js';
import { type Bilingual } from '../../../text/bilingual.js';
import { type CopyTarget } from '../copy/copy-target.js';
import { fileProblem } from '../../files/file-problem.js';
import { typeConflict } from '../copy/type-conflict.js';
import { type BlockSizes, CsvBlocks, defaultSizes } from '../../files/csv-blocks.js';
import { firstBadLine } from '../../files/csv-encoding.js';
import { mostColumns } from '../../files/csv-header.js';
import { TEXT } from '../../files/csv-values.js';
import { ColumnNames, type RenamedColumn } from '../rename-columns.js';
import { typeOfKind } from './json-kinds.js';
import { NdjsonScanner, type ScannedRows } from './ndjson-scanner.js';
import { columnForm, RowTexts } from './row-texts.js';

export interface NdjsonFormat {
  /** The text of a JSON string that stands for NULL; null for none. */
  nullMarker: string | null;
  /** Whether keys that cannot be column names are replaced by other names. */
  renames: boolean;
}

export interface LoadedNdjson {
  rows: number;
  columns: { name: string; type: string }[];
  /** Warnings that name the columns whose values have several JSON types. */
  warnings: Bilingual[];
  renamed: RenamedColumn[];
}

const mark = Buffer.from([0xef, 0xbb, 0xbf]);
const copyForm = 'FORMAT text';
const mostWarnings = 20;

/**
 * Loads an NDJSON file in one pass: each key becomes a column, and each value becomes a text that COPY reads. Numbers are passed on as they
 * are written, so no number is rounded. When a value does not fit the type of its column, or a new key appears, the running COPY is
 * finished, the table is changed, and a new COPY begins, all in the caller's transaction.
 * @throws SchemaError with the line of the file, or PostgreSQL's error
 */
export async function loadNdjson(
  source: AsyncIterable<Buffer>,
  format: NdjsonFormat,
  target: CopyTarget,
  sizes: BlockSizes = defaultSizes,
): Promise<LoadedNdjson> {
  const blocks = new CsvBlocks(source);
  try {
    const load = new NdjsonLoad(blocks, format, target, sizes);
    try {
      return await load.run();
    } catch (error) {
      await target.abortCopy();
      throw error;
    }
  } finally {
    await blocks.close();
  }
}

class NdjsonLoad {
  private readonly scanner: NdjsonScanner;
  private readonly made: ColumnNames | null;
  private readonly pace = new Pace();
  /** The kinds of the table's columns; null until the table exists. */
  private tableKinds: number[] | null = null;
  private scannedRows = 0;

  constructor(
    private readonly blocks: CsvBlocks,
    format: NdjsonFormat,
    private readonly target: CopyTarget,
    private readonly sizes: BlockSizes,
  ) {
    this.made = format.renames ? new ColumnNames() : null;
    this.scanner = new NdjsonScanner({
      nullMarker: format.nullMarker,
      names: this.made,
      mostColumns: target.hasLines ? mostColumns - 1 : mostColumns,
      isGiven: name => target.givenType(name) !== undefined,
      checkName: (name, line) => target.checkNames([name], line),
    });
  }

  async run(): Promise<LoadedNdjson> {
    let wanted = this.sizes.sample;
    let isFirst = true;
    for (let final = false; !final;) {
      const block = await this.blocks.take(wanted);
      const bytes = isFirst && block.bytes.subarray(0, mark.length).equals(mark) ? block.bytes.subarray(mark.length) : block.bytes;
      isFirst = false;
      const end = bytes.lastIndexOf(10) + 1;
      let consumed = 0;
      if (end === 0 && !block.final) {
        this.scanner.requireEnd(bytes.length);
        wanted = bytes.length * 2;
      } else {
        wanted = this.sizes.block;
        this.requireUtf8(bytes.subarray(0, end));
        const firstLine = this.scanner.line;
        const found = await inTurns(this.scanner.scan(bytes), this.pace);
        ({ consumed } = found);
        await this.send(bytes, found, firstLine);
      }
      this.blocks.putBack(bytes.subarray(consumed));
      final = block.final && consumed === bytes.length;
      if (this.pace.isOverdue) await this.pace.turn();
    }
    const { names } = this.scanner;
    if (names.length === 0) throw noKeys();
    this.target.checkAllNames(names, this.made?.renamed ?? []);
    const rows = await this.target.endCopy();
    // Both counts should always be equal. Without this check, a mistake in the scanner could lose a row silently.
    if (rows !== this.scannedRows) throw new Error(`PostgreSQL read ${rows} rows where the scanner found ${this.scannedRows}`);
    return { rows, columns: this.target.columns, warnings: this.warnings(), renamed: this.made?.renamed ?? [] };
  }

  private async send(bytes: Buffer, found: ScannedRows, firstLine: number): Promise<void> {
    this.scannedRows += found.rows;
    const isNew = this.tableKinds === null;
    // Before the first block there is no table yet. It is created with the types that this block needs, so nothing has to be changed.
    const split = isNew ? 0 : (found.split?.row ?? found.rows);
    const splitLine = isNew ? firstLine : (found.split?.line ?? Infinity);
    if (!isNew) {
      this.refuseLostSpellings(this.tableKinds!, splitLine);
      await this.write(bytes, found, 0, split, found.blankLines.filter(({ line }) => line < splitLine)); // prettier-ignore
    }
    if (splitLine === Infinity || found.rows === 0) return;
    if (this.scanner.names.length === 0) throw noKeys();
    await this.shapeTable(splitLine);
    await this.write(bytes, found, split, found.rows, found.blankLines.filter(({ line }) => line >= splitLine)); // prettier-ignore
  }

  private async write(bytes: Buffer, found: ScannedRows, from: number, to: number, blankLines: ScannedRows['blankLines']): Promise<void> {
    const { target } = this;
    await target.write(Buffer.alloc(0), blankLines);
    const forms = target.columns.map(({ name, type }) => columnForm(name, type, target.rewriteOf(name)));
    for (const piece of new RowTexts(bytes, found, forms, target.hasLines).pieces(from, to)) {
      if (piece) await target.write(piece, []);
      if (this.pace.isOverdue) await this.pace.turn();
    }
  }

  private async shapeTable(line: number): Promise<void> {
    const { kinds, names } = this.scanner;
    this.tableKinds = [...kinds];
    await this.target.shape([...names], kinds.map(typeOfKind));
    this.target.startCopy(line, copyForm);
  }

  private requireUtf8(bytes: Buffer): void {
    if (isUtf8(bytes)) return;
    const line = this.scanner.line + firstBadLine(bytes, isUtf8);
    throw fileProblem(
      'ndjson',
      'not_utf8',
      { line },
      { zh: '这一行不是 UTF-8 编码；JSON 总是 UTF-8', en: 'the bytes are not UTF-8; JSON is always UTF-8' },
    );
  }

  /**
   * Refuses to widen a column to text if its former type has changed the spelling of stored values: their text would differ from the file.
   */
  private refuseLostSpellings(before: readonly number[], splitLine: number): void {
    const { kinds, lossyLines, names, widenedLines } = this.scanner;
    kinds.forEach((kind, index) => {
      const lossyLine = lossyLines[index]!;
      if (kind !== TEXT || before[index] === undefined || before[index] === TEXT || lossyLine === 0 || lossyLine >= splitLine) return;
      const type = typeOfKind(before[index])!;
      throw typeConflict('ndjson', { line: widenedLines[index]!, column: names[index]! }, { type, lossyLine });
    });
  }

  private warnings(): Bilingual[] {
    const { kinds, mixedLines, names } = this.scanner;
    const mixed = names.flatMap((name, index) =>
      kinds[index] === TEXT && mixedLines[index]! > 0 ? [{ name, line: mixedLines[index]! }] : [],
    );
    return mixed.slice(0, mostWarnings).map(({ name, line }) => ({
      zh: `列“${name}”的值类型不一（第 ${line} 行起），因此存为文本`,
      en: `column "${name}" has values of several types (from line ${line} on), so it is text`,
    }));
  }
}

/**
 * Refuses a file whose first block has no keys. It would need a table without columns, which loses the number of its rows when the first
 * key adds a column.
 */
function noKeys(): SchemaError {
  return fileProblem(
    'ndjson',
    'empty',
    { line: 1 },
    { zh: '文件没有内容，或开头的对象都没有键', en: 'the file is empty, or the objects at its beginning have no keys' },
  );
}
