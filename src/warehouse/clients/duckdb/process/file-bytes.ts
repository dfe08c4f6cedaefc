import { open } from 'node:fs/promises';
import { constants, createGunzip } from 'node:zlib';

/** Bytes at the beginning of a text file that are examined. */
const headBytes = 64 * 1024;
const delimiters = [',', ';', '\t', '|'];
/** The line with which Excel declares the separator of a file. */
const declaration = /^"?sep=([^\p{L}\p{N}"\\\s.+-]|\t)\1*"?\r?\n/iu;
const numberOrDay = /^(?:[-+]?[\d.,]+|\d{4}-\d\d-\d\d)$/;
const mark = Buffer.from([0xef, 0xbb, 0xbf]);
const openList = 91;

/** The beginning of a text file, without its byte order mark. */
export interface FileHead {
  bytes: Buffer;
  hasMark: boolean;
  /** Whether the bytes are all of the file. */
  isAll: boolean;
}

/** The first record of a CSV file as RFC 4180 reads it. */
export interface FirstRecord {
  delimiter: string;
  names: string[];
  /** Whether the record looks like a header: it contains neither numbers nor dates. */
  isHeader: boolean;
  /** `before` counts the lines before the record, `lines` all lines up to the end of the record. */
  before: number;
  lines: number;
  /**
   * Whether DuckDB's detection misreads the file: the file declares its separator (`sep=;`), or begins with a byte order mark and a quote.
   */
  isTrap: boolean;
}

/** Reads the beginning of a text file. A file that is named `.gz` but is not gzip has no bytes here. */
export async function headOf(path: string): Promise<FileHead> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    const raw = buffer.subarray(0, bytesRead);
    const bytes = path.toLowerCase().endsWith('.gz') ? await gunzipped(raw) : raw;
    const hasMark = bytes.subarray(0, mark.length).equals(mark);
    return { bytes: hasMark ? bytes.subarray(mark.length) : bytes, hasMark, isAll: bytesRead < headBytes && bytes.length < headBytes };
  } finally {
    await file.close();
  }
}

async function gunzipped(raw: Buffer): Promise<Buffer> {
  const stream = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  const parts: Buffer[] = [];
  let size = 0;
  stream.end(raw);
  try {
    for await (const part of stream as AsyncIterable<Buffer>) {
      parts.push(part);
      size += part.length;
      if (size >= headBytes) break;
    }
  } catch {
    return Buffer.alloc(0);
  }
  return Buffer.concat(parts).subarray(0, headBytes);
}

/** Whether a JSON file begins with a byte order mark and a list. DuckDB's detection mistakes such a list for a single value. */
export function isMarkedList({ bytes, hasMark }: FileHead): boolean {
  return hasMark && bytes.find(byte => byte > 32) === openList;
}

/** Parses the first record. Null if RFC 4180 does not allow the beginning of the file, or if the record does not end within the head. */
export function firstRecordOf({ bytes, hasMark, isAll }: FileHead): FirstRecord | null {
  if (bytes.length === 0) return null;
  const text = bytes.toString('utf8') + (isAll ? '\n' : '');
  const [line = '', declared] = declaration.exec(text) ?? [];
  const rest = text.slice(line.length);
  let best: { delimiter: string; names: string[]; lines: number } | null = null;
  for (const delimiter of declared === undefined ? delimiters : [declared]) {
    const found = recordOf(rest, delimiter);
    if (found && found.names.length > (best?.names.length ?? 0)) best = { delimiter, ...found };
  }
  if (!best) return null;
  const isHeader = best.names.some(name => name !== '') && !best.names.some(name => numberOrDay.test(name.trim()));
  const before = line === '' ? 0 : 1;
  return { ...best, isHeader, before, lines: before + best.lines, isTrap: before > 0 || (hasMark && text.startsWith('"')) };
}

/**
 * Splits the record at the beginning of a text into cells and counts its lines. Null if the record does not end, or has a misplaced quote.
 */
function recordOf(text: string, delimiter: string): { names: string[]; lines: number } | null {
  const names: string[] = [];
  for (let at = 0; ;) {
    const isQuoted = text[at] === '"';
    const from = at;
    if (isQuoted) {
      for (at = text.indexOf('"', at + 1); at !== -1 && text[at + 1] === '"';) at = text.indexOf('"', at + 2);
      if (at === -1) return null;
      at++;
    } else while (at < text.length && text[at] !== delimiter && text[at] !== '\n') at++;
    if (at >= text.length) return null;
    const cell = text.slice(from, at);
    if (!isQuoted && cell.includes('"')) return null;
    names.push(isQuoted ? cell.slice(1, -1).replaceAll('""', '"') : cell.replace(/\r$/, ''));
    if (text[at] === '\r') at++;
    if (text[at] === '\n') return { names, lines: text.slice(0, at + 1).split('\n').length - 1 };
    if (text[at] !== delimiter) return null;
    at++;
  }
}
