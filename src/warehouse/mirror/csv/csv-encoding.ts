import { isUtf8 } from 'node:buffer';
import { SchemaError } from '../../../common/errors/api-error.js';
import { csvProblem } from './csv-problem.js';

export type CsvEncoding = 'utf-8' | 'gb18030';

export interface EncodingChoice {
  /** The value of `?encoding=`, which has priority over everything. */
  asked: CsvEncoding | undefined;
  /** The charset parameter of the Content-Type. A byte order mark has priority over it. */
  charset: CsvEncoding | undefined;
}

const LF = 10;
const longestMark = 4;

/** A line that is longer is refused, so that its bytes are not gathered. */
export const longestRecordBytes = 16 * 1024 * 1024;

/**
 * The text of a file as UTF-8 bytes without byte order mark. UTF-8 passes through unread (`requireUtf8` checks it block by block).
 * GB18030, which also covers GBK and GB2312, is decoded strictly, whole lines at a time.
 * @throws SchemaError for another encoding, or a byte that is not part of it
 */
export async function* toUtf8(source: AsyncIterable<Buffer>, choice: EncodingChoice): AsyncGenerator<Buffer, void> {
  const chunks = joinFirst(source, longestMark);
  const first = await chunks.next();
  if (first.done) return;
  const { encoding, markBytes } = detect(first.value, choice);
  const body = prepend(first.value.subarray(markBytes), chunks);
  if (encoding === 'gb18030') yield* decodeGb18030(body);
  else yield* body;
}

/** @throws SchemaError naming the first line that is not UTF-8; `line` is the line at which `bytes` begin. */
export function requireUtf8(bytes: Uint8Array, line: number): void {
  if (isUtf8(bytes)) return;
  const broken = firstBadLine(bytes, text => isUtf8(text));
  throw csvProblem(
    'csv_not_utf8',
    { line: line + broken },
    {
      zh: '这一行不是 UTF-8 编码；如果文件是 GBK/GB18030 编码，请加上 ?encoding=gb18030',
      en: 'the bytes are not UTF-8; if the file is GBK or GB18030, say so with ?encoding=gb18030',
    },
  );
}

function detect(head: Buffer, { asked, charset }: EncodingChoice): { encoding: CsvEncoding; markBytes: number } {
  if (head[0] === 0xff && head[1] === 0xfe) throw unsupported('UTF-16');
  if (head[0] === 0xfe && head[1] === 0xff) throw unsupported('UTF-16');
  const mark = readMark(head);
  if (!mark) return { encoding: asked ?? charset ?? 'utf-8', markBytes: 0 };
  if (asked !== undefined && asked !== mark.encoding) {
    throw encodingProblem(`文件以 ${mark.encoding} 的字节顺序标记开头`, `the file begins with the byte order mark of ${mark.encoding}`);
  }
  return mark;
}

function readMark(head: Buffer): { encoding: CsvEncoding; markBytes: number } | null {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { encoding: 'utf-8', markBytes: 3 };
  if (head[0] === 0x84 && head[1] === 0x31 && head[2] === 0x95 && head[3] === 0x33) return { encoding: 'gb18030', markBytes: 4 };
  return null;
}

function unsupported(name: string): SchemaError {
  return encodingProblem(`不支持 ${name} 编码，请另存为 UTF-8`, `${name} is not supported; save the file as UTF-8`);
}

function encodingProblem(zh: string, en: string): SchemaError {
  return new SchemaError([{ loc: ['query', 'encoding'], text: { zh, en }, type: 'csv_encoding' }]);
}

/** Decodes whole lines, so that no character is cut and a bad byte is known by its line. */
async function* decodeGb18030(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let line = 1;
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  for await (const chunk of source) {
    // A line feed is never part of a longer GB18030 character: trailing bytes begin at 0x30.
    const cut = chunk.lastIndexOf(LF) + 1;
    if (cut === 0) {
      pending.push(chunk);
      pendingBytes += chunk.length;
      if (pendingBytes > longestRecordBytes) throw recordTooLong(line);
      continue;
    }
    const lines = Buffer.concat([...pending, chunk.subarray(0, cut)]);
    yield decodeLines(lines, line);
    line += countLines(lines);
    pending = cut < chunk.length ? [chunk.subarray(cut)] : [];
    pendingBytes = chunk.length - cut;
  }
  if (pendingBytes > 0) yield decodeLines(Buffer.concat(pending), line);
}

/** @throws SchemaError for a record, or an unclosed quote, that is longer than `longestRecordBytes` */
export function recordTooLong(line: number): SchemaError {
  return csvProblem(
    'csv_record_too_long',
    { line },
    {
      zh: '从这一行开始的记录超过 16 MiB；可能缺少结束引号',
      en: 'the record that begins here is longer than 16 MiB; a closing quote may be missing',
    },
  );
}

function decodeLines(bytes: Buffer, line: number): Buffer {
  const text = decodeStrictly(bytes);
  if (text !== null) return Buffer.from(text, 'utf8');
  const broken = firstBadLine(bytes, part => decodeStrictly(part) !== null);
  throw csvProblem('csv_not_gb18030', { line: line + broken }, { zh: '这一行不是 GB18030 编码', en: 'the bytes are not GB18030' });
}

function decodeStrictly(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('gb18030', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** The number of lines of `bytes` before the first that is not `valid`. */
function firstBadLine(bytes: Uint8Array, valid: (line: Uint8Array) => boolean): number {
  let line = 0;
  for (let start = 0; start < bytes.length; line++) {
    const feed = bytes.indexOf(LF, start);
    const end = feed === -1 ? bytes.length : feed + 1;
    if (!valid(bytes.subarray(start, end))) break;
    start = end;
  }
  return line;
}

function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) lines++;
  return lines;
}

/** The same chunks, but the first has at least `least` bytes unless the source ends before. */
async function* joinFirst(source: AsyncIterable<Buffer>, least: number): AsyncGenerator<Buffer, void> {
  let head: Buffer | null = Buffer.alloc(0);
  for await (const chunk of source) {
    if (head === null) yield chunk;
    else {
      head = Buffer.concat([head, chunk]);
      if (head.length < least) continue;
      yield head;
      head = null;
    }
  }
  if (head !== null && head.length > 0) yield head;
}

async function* prepend(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  if (first.length > 0) yield first;
  yield* rest;
}
