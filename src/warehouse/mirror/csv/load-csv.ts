import { SchemaError } from '../../../common/errors/api-error.js';
import { inTurns, Pace } from '../../../common/turns/pace.js';
import { atOnce, type Steps } from '../../../text/steps.js';
import { type CopyTarget } from '../copy/copy-target.js';
import { typeConflict } from '../copy/type-conflict.js';
import { ColumnNames, renamed, type RenamedColumn, renameHint } from '../rename-columns.js';
import { type Bilingual } from '../../../text/bilingual.js';
import { type BlockSizes, CsvBlocks, defaultSizes } from './csv-blocks.js';
import { countLines, type CsvEncoding, type EncodingChoice, requireUtf8, toUtf8 } from './csv-encoding.js';
import { checkColumnNames, type CsvHeader, mostColumns, readHeader } from './csv-header.js';
import { csvProblem } from './csv-problem.js';
import { readSeparator } from './declared-separator.js';
import { judgeSigns } from './number-signs.js';
import { CsvScanner, type Scanned } from './csv-scanner.js';
import { isText, KIND_TYPES, type Kind, TEXT, UNKNOWN } from './csv-values.js';
import { sniffDelimiter } from './sniff-delimiter.js';

/** The most bytes of a header. With the most columns that a table may have and the longest names, a header has some 200 KB. */
const longestHeaderBytes = 1024 * 1024;

export interface CsvFormat {
  /** The byte of a comma, semicolon, tab or vertical bar; null to find the delimiter from the first records. */
  delimiter: number | null;
  nullMarker: string;
  encoding: EncodingChoice;
  /** The column names that the caller gives; they replace those of the header, if there is one. Null if the header gives the names. */
  columns: readonly string[] | null;
  hasHeader: boolean;
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

interface TakenHeader extends CsvHeader {
  /** 1-based line of the header, or of the first record of a file without one. */
  nameLine: number;
  renamed: RenamedColumn[];
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
  const { bytes, encoding, isGuessed } = await toUtf8(source, format.encoding);
  const blocks = new CsvBlocks(bytes);
  try {
    const { header, delimiter } = await takeHeader(blocks, format, sizes.block);
    target.checkNames(header.names, header.nameLine);
    target.checkAllNames(header.names);
    const load = new CsvLoad(blocks, { ...format, delimiter }, target, header, sizes);
    try {
      return { ...(await load.run()), delimiter, encoding, isEncodingGuessed: isGuessed, renamed: header.renamed };
    } catch (error) {
      await load.abort();
      throw error;
    }
  } finally {
    await blocks.close();
  }
}

async function takeHeader(blocks: CsvBlocks, format: CsvFormat, blockBytes: number): Promise<{ header: TakenHeader; delimiter: number }> {
  for (let wanted = blockBytes; ;) {
    const { bytes, final } = await blocks.take(wanted);
    const isAll = final || bytes.length >= longestHeaderBytes;
    const declared = readSeparator(bytes, final);
    const start = { at: declared?.consumed ?? 0, line: declared ? 2 : 1 };
    const sniffed = bytes.subarray(start.at, start.at + longestHeaderBytes);
    const found = declared === undefined ? null : (declared?.delimiter ?? sniffDelimiter(sniffed, isAll, format.columns?.length));
    const delimiter = found === null ? null : (format.delimiter ?? found);
    const header = delimiter === null ? null : headerOf(bytes, format, delimiter, final, start);
    if (header) {
      requireOtherMarker(format.nullMarker, delimiter!);
      blocks.putBack(bytes.subarray(header.consumed));
      return { header, delimiter: delimiter! };
    }
    if (final) throw csvProblem('empty', { line: 1 }, { zh: '文件没有表头', en: 'the file has no header' });
    if (isAll) throw headerTooLong();
    blocks.putBack(bytes);
    wanted = bytes.length * 2;
  }
}

function headerTooLong(): SchemaError {
  return csvProblem(
    'header_too_long',
    { line: 1 },
    { zh: '表头超过 1 MiB；可能缺少结束引号', en: 'the header is longer than 1 MiB; a closing quote may be missing' },
  );
}

/** @param start the byte and the 1-based line behind a line that declares the separator */
function headerOf(
  bytes: Buffer,
  { columns, hasHeader, renames }: CsvFormat,
  delimiter: number,
  final: boolean,
  start: { at: number; line: number },
): TakenHeader | null {
  if (!hasHeader) return { names: [...columns!], consumed: start.at, line: start.line, nameLine: start.line, renamed: [] };
  const header = readHeader(bytes, delimiter, final, start);
  if (!header) return null;
  atOnce(requireUtf8(bytes.subarray(0, header.consumed), 1));
  const { names } = header;
  const nameLine = start.line;
  if (columns) {
    if (columns.length !== names.length) throw wrongColumnCount(start.line, names.length, columns.length);
    const others = columns.flatMap((name, index) => (name === names[index] ? [] : [renamed(names[index]!, name)]));
    return { ...header, names: [...columns], nameLine, renamed: others };
  }
  if (!renames || names.length > mostColumns) {
    checkColumnNames(names, () => ['body', start.line], start.line, renameHint);
    return { ...header, nameLine, renamed: [] };
  }
  const made = new ColumnNames();
  return { ...header, names: made.ofAll(names), nameLine, renamed: made.renamed };
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

/**
 * Checks that the whole lines of `bytes` are UTF-8 without NUL. PostgreSQL stores no NUL, and its error would give neither the line nor the
 * reason.
 */
function* requireReadable(bytes: Buffer, line: number): Steps<void> {
  const whole = bytes.subarray(0, bytes.lastIndexOf(10) + 1);
  yield* requireUtf8(whole, line);
  const nul = whole.indexOf(0);
  if (nul === -1) return;
  const place = { line: line + countLines(whole.subarray(0, nul)) };
  throw csvProblem('nul', place, { zh: '这一行含有 NUL 字节', en: 'the line holds a NUL byte' });
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
    const rewrites = header.names.map(name => target.rewriteOf(name));
    this.scanner = new CsvScanner({
      delimiter: format.delimiter,
      nullMarker: Buffer.from(format.nullMarker),
      columns: header.names,
      // PostgreSQL itself checks the values of a column whose type is given.
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
    return { rows: copiedRows, columns: this.target.columns, warnings };
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
