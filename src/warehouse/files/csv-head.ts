import { atOnce, type Steps } from '../../text/steps.js';
import { type CsvBlocks } from './csv-blocks.js';
import { countLines, requireUtf8 } from './csv-encoding.js';
import { type CsvHeader, readHeader } from './csv-header.js';
import { csvProblem, nulByte } from './csv-problem.js';
import { readSeparator } from './declared-separator.js';
import { sniffDelimiter } from './sniff-delimiter.js';

/** The most bytes of a header. A header with the most columns that a table takes and the longest names has some 200 KB. */
const longestHeaderBytes = 1024 * 1024;

export interface HeadFormat {
  /** The byte of a comma, semicolon, tab or vertical bar; null to find the delimiter from the first records. */
  delimiter: number | null;
  /** The column names, in place of those of the header if the file has one; null if the header names them. */
  columns: readonly string[] | null;
  hasHeader: boolean;
  /** The most columns of a header; by default those of a table of the mirror. */
  mostColumns?: number;
}

/**
 * Takes the header out of `blocks`, whose next byte is then that of the first record. The names are those that the file has.
 * @param blockBytes bytes from which the delimiter is found at first
 * @throws SchemaError with the line of the file
 */
export async function takeHead(
  blocks: CsvBlocks,
  format: HeadFormat,
  blockBytes: number,
): Promise<{ header: CsvHeader; delimiter: number }> {
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
      blocks.putBack(bytes.subarray(header.consumed));
      return { header, delimiter: delimiter! };
    }
    if (final) throw csvProblem('empty', { line: 1 }, { zh: '文件没有表头', en: 'the file has no header' });
    if (isAll) throw headerTooLong();
    blocks.putBack(bytes);
    wanted = bytes.length * 2;
  }
}

/** @param start the byte and the 1-based line behind a line that declares the separator */
function headerOf(
  bytes: Buffer,
  { columns, hasHeader, mostColumns }: HeadFormat,
  delimiter: number,
  final: boolean,
  start: { at: number; line: number },
): CsvHeader | null {
  if (!hasHeader) return { names: [...columns!], consumed: start.at, line: start.line, nameLine: start.line };
  const header = readHeader(bytes, delimiter, final, start, mostColumns);
  if (header) atOnce(requireReadable(bytes.subarray(0, header.consumed), 1));
  return header;
}

function headerTooLong(): Error {
  return csvProblem(
    'header_too_long',
    { line: 1 },
    { zh: '表头超过 1 MiB；可能缺少结束引号', en: 'the header is longer than 1 MiB; a closing quote may be missing' },
  );
}

/**
 * Checks that the whole lines of `bytes` are UTF-8 without NUL. PostgreSQL stores no NUL, and its error would give neither the line nor the
 * reason.
 */
export function* requireReadable(bytes: Buffer, line: number): Steps<void> {
  const whole = bytes.subarray(0, bytes.lastIndexOf(10) + 1);
  yield* requireUtf8(whole, line);
  const nul = whole.indexOf(0);
  if (nul === -1) return;
  throw nulByte({ line: line + countLines(whole.subarray(0, nul)) });
}
