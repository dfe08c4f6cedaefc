import { SchemaError } from '../../../common/errors/api-error.js';
import { inTurns, Pace } from '../../../common/turns/pace.js';
import { type CopyTarget } from '../copy/copy-target.js';
import { typeConflict } from '../copy/type-conflict.js';
import { ColumnNames, renamed, type RenamedColumn, renameHint } from '../rename-columns.js';
import { type Bilingual } from '../../../text/bilingual.js';
import { type BlockSizes, CsvBlocks, defaultSizes } from '../../files/csv-blocks.js';
import { type CsvEncoding, type EncodingChoice, toUtf8 } from '../../files/csv-encoding.js';
import { type HeadFormat, requireReadable, takeHead } from '../../files/csv-head.js';
import { checkColumnNames, type CsvHeader } from '../../files/csv-header.js';
import { csvProblem } from '../../files/csv-problem.js';
import { documentForm } from '../../files/field-rewrite.js';
import { judgeSigns } from './number-signs.js';
import { CsvScanner, type Scanned } from '../../files/csv-scanner.js';
import { isText, KIND_TYPES, type Kind, TEXT, UNKNOWN } from '../../files/csv-values.js';

/** The most warnings about columns that a late value made text. */
const mostWarnings = 20;

export interface CsvFormat extends HeadFormat {
  nullMarker: string;
  encoding: EncodingChoice;
  /** Whether columns get other names if a table cannot have their names. */
  renames: boolean;
}

export interface LoadedCsv {
  rows: number;
  columns: { name: string; type: string }[];
  delimiter: number;
  encoding: CsvEncoding;
  isEncodingGuessed: boolean;
  renamed: RenamedColumn[];
  /** Warnings that name the columns of numbers whose points and commas were judged. */
  warnings: Bilingual[];
}

/**
 * Loads a CSV file in one pass. The file's bytes go to `COPY` as they come; the service reads them only to find records, lines and types.
 * When a value breaks the type of its column, the COPY is finished, the column is widened, and a new COPY continues, all in the caller's
 * transaction.
 * @throws SchemaError with the line of the file, or PostgreSQL's error
 */
export async function loadCsv(
  source: AsyncIterable<Buffer>,
  format: CsvFormat,
  target: CopyTarget,
  sizes = defaultSizes,
): Promise<LoadedCsv> {
  const { bytes, encoding, isGuessed, warnings: guesses } = await toUtf8(source, format.encoding);
  const blocks = new CsvBlocks(bytes);
  try {
    const { header: told, delimiter } = await takeHead(blocks, format, sizes.block);
    requireOtherMarker(format.nullMarker, delimiter);
    const { names, renamed } = columnNames(told, format);
    const header = { ...told, names };
    target.checkNames(header.names, header.nameLine);
    target.checkAllNames(header.names, renamed);
    const load = new CsvLoad(blocks, { ...format, delimiter }, target, header, sizes);
    try {
      const loaded = await load.run();
      return { ...loaded, warnings: [...guesses, ...loaded.warnings], delimiter, encoding, isEncodingGuessed: isGuessed, renamed };
    } catch (error) {
      await load.abort();
      throw error;
    }
  } finally {
    await blocks.close();
  }
}

/** The names of the table's columns, and those of the header that they take the place of. @throws SchemaError */
function columnNames(
  { names, nameLine }: CsvHeader,
  { columns, hasHeader, renames }: CsvFormat,
): { names: string[]; renamed: RenamedColumn[] } {
  if (columns && hasHeader) {
    if (columns.length !== names.length) throw wrongColumnCount(nameLine, names.length, columns.length);
    return { names: [...columns], renamed: columns.flatMap((name, at) => (name === names[at] ? [] : [renamed(names[at]!, name)])) };
  }
  if (columns) return { names, renamed: [] };
  if (!renames) {
    checkColumnNames(names, () => ['body', nameLine], nameLine, renameHint);
    return { names, renamed: [] };
  }
  const made = new ColumnNames();
  return { names: made.ofAll(names), renamed: made.renamed };
}

function wrongColumnCount(line: number, found: number, given: number): SchemaError {
  return csvProblem(
    'field_count',
    { line },
    { zh: `表头有 ${found} 列，而 columns 写了 ${given} 列`, en: `the header has ${found} column(s), and columns names ${given}` },
  );
}

/** @throws SchemaError if the null marker contains the separator that the file declares */
function requireOtherMarker(nullMarker: string, delimiter: number): void {
  if (!nullMarker.includes(String.fromCharCode(delimiter))) return;
  const text = { zh: '含有文件所声明的分隔符', en: 'holds the separator that the file declares' };
  throw new SchemaError([{ loc: ['query', 'null'], text, type: 'null_marker' }]);
}

class CsvLoad {
  private readonly scanner: CsvScanner;
  /** The current kinds of the table's columns; null until the table exists. */
  private tableKinds: Kind[] | null = null;
  private scannedRows = 0;
  private readonly copyForm: string;

  constructor(
    private readonly blocks: CsvBlocks,
    private readonly format: { delimiter: number; nullMarker: string },
    private readonly target: CopyTarget,
    private readonly header: CsvHeader,
    private readonly sizes: BlockSizes,
  ) {
    const rewrites = header.names.map(name => target.rewriteOf(name) ?? (target.givenType(name) === 'jsonb' ? documentForm : null));
    this.scanner = new CsvScanner({
      delimiter: format.delimiter,
      nullMarker: Buffer.from(format.nullMarker),
      columns: header.names,
      // The form of a given type, or PostgreSQL itself, checks the values of its column.
      kinds: header.names.map(name => (target.givenType(name) === undefined ? UNKNOWN : TEXT)),
      line: header.line,
      rewrites: rewrites.some(rewrite => rewrite !== null) ? rewrites : null,
      isNumbered: target.hasLines,
    });
    const nullMarker = format.nullMarker.replaceAll("'", "''").replaceAll('\\', '\\\\');
    const delimiter = String.fromCharCode(format.delimiter).replace("'", "''");
    this.copyForm = `FORMAT csv, DELIMITER '${delimiter}', NULL E'${nullMarker}'`;
  }

  async run(): Promise<Pick<LoadedCsv, 'rows' | 'columns' | 'warnings'>> {
    const pace = new Pace();
    let wanted = this.sizes.sample;
    for (let isOver = false; !isOver;) {
      const { bytes, final } = await this.blocks.take(wanted);
      const firstLine = this.scanner.line;
      await inTurns(requireReadable(bytes, firstLine), pace);
      const most = this.tableKinds === null ? this.sizes.sample : this.sizes.block;
      const found = await inTurns(this.scanner.scan(bytes, final, most), pace);
      if (found.consumed === 0 && !final) wanted = CsvBlocks.more(bytes.length, firstLine);
      else wanted = this.sizes.block;
      await this.send(found, firstLine);
      this.blocks.putBack(bytes.subarray(found.consumed));
      isOver = final && found.consumed === bytes.length;
      // If nothing is sent from a block, `write` does not wait for PostgreSQL, so the loop must yield to the event loop here.
      if (pace.isOverdue) await pace.turn();
    }
    if (this.tableKinds === null) await this.shapeTable(this.scanner.line);
    const copiedRows = await this.target.endCopy();
    // Both counts should always be equal. Without this check, a mistake in the scanner could lose a row silently.
    if (copiedRows !== this.scannedRows) throw new Error(`PostgreSQL read ${copiedRows} rows where the scanner found ${this.scannedRows}`);
    const { kinds, lossyLines, signs } = this.scanner;
    const columns = this.header.names.map((name, index) => ({
      name,
      givenType: this.target.givenType(name) ?? null,
      decimalSign: this.target.rewriteOf(name)?.decimalSign ?? null,
      kind: kinds[index] as Kind,
      signs: signs[index]!,
      isLossy: lossyLines[index]! > 0,
    }));
    const { changes, warnings } = judgeSigns(columns, this.format.delimiter);
    await this.target.retype(changes);
    return { rows: copiedRows, columns: this.target.columns, warnings: [...warnings, ...this.lateTexts()] };
  }

  private lateTexts(): Bilingual[] {
    // Numbers with decimal commas are texts until the end of the file.
    const changed = [...this.scanner.lateTexts].filter(([column]) => this.target.columns[column]!.type === 'text');
    return changed.slice(0, mostWarnings).map(([column, { line, kind, text }]) => {
      const [name, type] = [this.header.names[column]!, KIND_TYPES[kind]];
      return {
        zh: `列“${name}”存为文本，因为第 ${line} 行的值是 '${text}'，而之前都是 ${type}`,
        en: `column "${name}" is text because of '${text}' in line ${line}; the values before are of the type ${type}`,
      };
    });
  }

  async abort(): Promise<void> {
    await this.target.abortCopy();
  }

  private async send({ blankLines, consumed, records, rows, split }: Scanned, firstLine: number): Promise<void> {
    this.scannedRows += records;
    if (this.tableKinds === null) {
      if (consumed === 0) return;
      // The table does not exist yet, so it is created with types that fit the whole sample, and no column has to be widened.
      await this.shapeTable(firstLine);
      await this.write([...rows, ...(split?.rows ?? [])], blankLines);
    } else if (split) {
      this.refuseLostSpellings(this.tableKinds, split.line);
      await this.write(rows, blankLines.filter(({ line }) => line < split.line)); // prettier-ignore
      await this.shapeTable(split.line);
      await this.write(split.rows, blankLines.filter(({ line }) => line > split.line)); // prettier-ignore
    } else await this.write(rows, blankLines);
  }

  private async write(rows: readonly Buffer[], blankLines: Scanned['blankLines']): Promise<void> {
    if (blankLines.length > 0) await this.target.write(Buffer.alloc(0), blankLines);
    for (const piece of rows) await this.target.write(piece, []);
  }

  /** Creates the table, or widens its columns, and starts a new COPY at the line. */
  private async shapeTable(line: number): Promise<void> {
    this.tableKinds = [...this.scanner.kinds] as Kind[];
    const types = this.tableKinds.map(kind => (kind === UNKNOWN ? null : KIND_TYPES[kind]));
    await this.target.shape(this.header.names, types);
    this.target.startCopy(line, this.copyForm);
  }

  /**
   * Refuses to widen a column to text if stored rows have lost their spelling under the former type: their text would differ from the file.
   */
  private refuseLostSpellings(before: readonly Kind[], line: number): void {
    this.scanner.kinds.forEach((kind, index) => {
      const lossy = this.scanner.lossyLines[index]!;
      if (!isText(kind) || isText(before[index]!) || lossy === 0 || lossy >= line) return;
      const place = { line: this.scanner.widenedLines[index]!, column: this.header.names[index]! };
      throw typeConflict('csv', place, { type: KIND_TYPES[before[index]!], lossyLine: lossy });
    });
  }
}
