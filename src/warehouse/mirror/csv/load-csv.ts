import { type SchemaError } from '../../../common/errors/api-error.js';
import { Pace } from '../../../common/turns/pace.js';
import { type CopyTarget } from '../copy/copy-target.js';
import { typeConflict } from '../copy/type-conflict.js';
import { type BlockSizes, CsvBlocks, defaultSizes, withReplacements } from './csv-blocks.js';
import { type CsvEncoding, type EncodingChoice, requireUtf8, toUtf8 } from './csv-encoding.js';
import { checkColumnNames, type CsvHeader, readHeader } from './csv-header.js';
import { csvProblem } from './csv-problem.js';
import { CsvScanner, type Scanned } from './csv-scanner.js';
import { KIND_TYPES, type Kind, TEXT, UNKNOWN } from './csv-values.js';
import { sniffDelimiter } from './sniff-delimiter.js';

/** A header of as many columns as a table takes, with names as long as they may be, has some 200 KB. */
const longestHeaderBytes = 1024 * 1024;

export interface CsvFormat {
  /** One byte: comma, semicolon, tab or vertical bar; null to tell it from the first records. */
  delimiter: number | null;
  nullMarker: string;
  encoding: EncodingChoice;
  /** The column names of a file without header; null if the first record names them. */
  columns: readonly string[] | null;
}

export interface LoadedCsv {
  rows: number;
  columns: { name: string; type: string }[];
  delimiter: number;
  encoding: CsvEncoding;
  isEncodingGuessed: boolean;
}

/**
 * Loads a CSV file in one pass. Its bytes go to `COPY` as they come, and are only read here to find records, lines and types. When
 * a value breaks the type of its column, the COPY is finished, the column is widened, and a new COPY goes on, all in the caller's
 * transaction.
 * @throws SchemaError with the line of the file, or PostgreSQL's error.
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
    target.checkNames(header.names, 1);
    target.checkAllNames(header.names);
    const load = new CsvLoad(blocks, { ...format, delimiter }, target, header, sizes);
    try {
      return { ...(await load.run()), delimiter, encoding, isEncodingGuessed: isGuessed };
    } catch (error) {
      await load.abort();
      throw error;
    }
  } finally {
    await blocks.close();
  }
}

async function takeHeader(
  blocks: CsvBlocks,
  { delimiter: given, columns }: CsvFormat,
  blockBytes: number,
): Promise<{ header: CsvHeader; delimiter: number }> {
  for (let wanted = blockBytes; ;) {
    const { bytes, final } = await blocks.take(wanted);
    const isAll = final || bytes.length >= longestHeaderBytes;
    const delimiter = given ?? sniffDelimiter(bytes.subarray(0, longestHeaderBytes), isAll, columns?.length);
    const header = delimiter === null ? null : headerOf(bytes, columns, delimiter, final);
    if (header) {
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

function headerOf(bytes: Buffer, columns: readonly string[] | null, delimiter: number, final: boolean): CsvHeader | null {
  if (columns) return { names: [...columns], consumed: 0, line: 1 };
  const header = readHeader(bytes, delimiter, final);
  if (!header) return null;
  requireUtf8(bytes.subarray(0, header.consumed), 1);
  checkColumnNames(header.names, () => ['body', 1], 1);
  return header;
}

class CsvLoad {
  private readonly scanner: CsvScanner;
  /** The current kinds of the table's columns; null until the table exists. */
  private tableKinds: Kind[] | null = null;
  private scannedRows = 0;
  private readonly copyForm: string;

  constructor(
    private readonly blocks: CsvBlocks,
    format: { delimiter: number; nullMarker: string },
    private readonly target: CopyTarget,
    private readonly header: CsvHeader,
    private readonly sizes: BlockSizes,
  ) {
    const rewrites = header.names.map(name => target.rewriteOf(name));
    this.scanner = new CsvScanner({
      delimiter: format.delimiter,
      nullMarker: Buffer.from(format.nullMarker),
      columns: header.names,
      // PostgreSQL judges the values of a given type.
      kinds: header.names.map(name => (target.givenType(name) === undefined ? UNKNOWN : TEXT)),
      line: header.line,
      rewrites: rewrites.some(rewrite => rewrite !== null) ? rewrites : null,
      isNumbered: target.hasLines,
    });
    const nullMarker = format.nullMarker.replaceAll("'", "''").replaceAll('\\', '\\\\');
    this.copyForm = `FORMAT csv, DELIMITER '${String.fromCharCode(format.delimiter)}', NULL E'${nullMarker}'`;
  }

  async run(): Promise<Pick<LoadedCsv, 'rows' | 'columns'>> {
    const pace = new Pace();
    let wanted = this.sizes.sample;
    for (let final = false; !final;) {
      const block = await this.blocks.take(wanted);
      const firstLine = this.scanner.line;
      this.requireReadable(block.bytes, firstLine);
      const found = this.scanner.scan(block.bytes, block.final);
      if (found.consumed === 0 && !block.final) wanted = CsvBlocks.more(block.bytes.length, firstLine);
      else wanted = this.sizes.block;
      await this.send(block.bytes, found, firstLine);
      this.blocks.putBack(block.bytes.subarray(found.consumed));
      final = block.final;
      // Blocks of which nothing is sent never wait for PostgreSQL, so they must yield here.
      if (pace.isOverdue) await pace.turn();
    }
    if (this.tableKinds === null) await this.shapeTable(this.scanner.line);
    const copiedRows = await this.target.endCopy();
    // The numbers should never differ. Without the check, a mistake in our reading could lose a row silently.
    if (copiedRows !== this.scannedRows) throw new Error(`PostgreSQL read ${copiedRows} rows where the scanner found ${this.scannedRows}`);
    return { rows: copiedRows, columns: this.target.columns };
  }

  async abort(): Promise<void> {
    await this.target.abortCopy();
  }

  private async send(bytes: Buffer, found: Scanned, firstLine: number): Promise<void> {
    this.scannedRows += found.records;
    let from = 0;
    if (this.tableKinds === null) {
      // Nothing is stored yet, so widening by the sample costs nothing.
      if (found.consumed > 0) await this.shapeTable(firstLine);
    } else if (found.split) {
      this.refuseLostSpellings(this.tableKinds, found.split.line);
      await this.target.write(
        withReplacements(bytes, 0, found.split.at, found.deletions, found.replacements),
        found.blankLines.filter(({ line }) => line < found.split!.line),
      );
      await this.shapeTable(found.split.line);
      from = found.split.at;
    }
    if (found.consumed === 0) return;
    const blankLines = from === 0 ? found.blankLines : found.blankLines.filter(({ line }) => line > found.split!.line);
    await this.target.write(withReplacements(bytes, from, found.consumed, found.deletions, found.replacements), blankLines);
  }

  /** Creates the table, or widens it, and goes on with the line. */
  private async shapeTable(line: number): Promise<void> {
    this.tableKinds = [...this.scanner.kinds] as Kind[];
    const types = this.tableKinds.map(kind => (kind === UNKNOWN ? null : KIND_TYPES[kind]));
    await this.target.shape(this.header.names, types);
    this.target.startCopy(line, this.copyForm);
  }

  /** Checks for NUL first: PostgreSQL stores none, and its error would give neither line nor reason. */
  private requireReadable(bytes: Buffer, line: number): void {
    const whole = bytes.subarray(0, bytes.lastIndexOf(10) + 1);
    requireUtf8(whole, line);
    const nul = whole.indexOf(0);
    if (nul === -1) return;
    const lines = whole.subarray(0, nul).toString('latin1').split('\n').length - 1;
    throw csvProblem('nul', { line: line + lines }, { zh: '这一行含有 NUL 字节', en: 'the line holds a NUL byte' });
  }

  /** Refuses to widen to text if rows are stored under a type that changed their spelling: the text would differ from the file. */
  private refuseLostSpellings(before: readonly Kind[], line: number): void {
    this.scanner.kinds.forEach((kind, index) => {
      const lossy = this.scanner.lossyLines[index]!;
      if (kind !== TEXT || before[index] === TEXT || lossy === 0 || lossy >= line) return;
      const place = { line: this.scanner.widenedLines[index]!, column: this.header.names[index]! };
      throw typeConflict('csv', place, { type: KIND_TYPES[before[index]!], lossyLine: lossy });
    });
  }
}
