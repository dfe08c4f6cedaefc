import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { SchemaError } from '../../common/errors/api-error.js';
import { type Steps } from '../../text/steps.js';
import { resume, takeHead } from './head.js';
import { csvProblem } from './csv-problem.js';
import { type Bilingual } from '../../text/bilingual.js';
import { decodeSingleBytes, looksWestern, westernWord } from './western-text.js';

export type CsvEncoding = 'utf-8' | 'gb18030' | 'windows-1252' | 'iso-8859-1';

export interface EncodingChoice {
  /** The value of `?encoding=`, which has priority over `charset`. A byte order mark of another encoding is an error. */
  asked: CsvEncoding | undefined;
  /** The charset parameter of the Content-Type. A byte order mark has priority over `charset`. */
  charset: CsvEncoding | undefined;
}

const LF = 10;
const longestMark = 4;
/** Bytes that are checked for UTF-8 between two pauses, which takes less than a millisecond. */
const checkedInStep = 256 * 1024;
/** The encoding is guessed from this many bytes if neither the caller nor a byte order mark names it. */
const sampleBytes = 64 * 1024;

/** The most bytes of a line. A longer line is refused, so that its bytes do not fill the memory. */
export const longestRecordBytes = 16 * 1024 * 1024;

/** The text of a file as UTF-8 bytes without byte order mark, and the encoding that it was read as. */
export interface DecodedCsv {
  bytes: AsyncIterable<Buffer>;
  encoding: CsvEncoding;
  /** True if the encoding was guessed: neither the caller nor a byte order mark named it, and the first bytes look like windows-1252. */
  isGuessed: boolean;
  /** The warnings about a guess, with the text that it rests on. */
  warnings: Bilingual[];
}

/**
 * Finds the encoding of `source` from its beginning, and converts the bytes to UTF-8. UTF-8 passes through unchecked (`requireUtf8` checks
 * it block by block). GB18030, which includes GBK and GB2312, is decoded strictly. In the single-byte encodings every byte is a character.
 * @throws SchemaError for UTF-16, and for a byte order mark of another encoding than that of `?encoding=`; reading `bytes` throws
 *   SchemaError for a byte that is not valid in the encoding
 */
export async function toUtf8(source: AsyncIterable<Buffer>, choice: EncodingChoice): Promise<DecodedCsv> {
  const isTold = choice.asked !== undefined || choice.charset !== undefined;
  const chunks = source[Symbol.asyncIterator]();
  try {
    const head = await takeHead(chunks, isTold ? longestMark : sampleBytes);
    const begin = Buffer.concat(head);
    const { encoding, markBytes, isGuessed } = detect(begin, choice);
    const warnings = isGuessed ? [guessed(westernWord(begin))] : [];
    return { bytes: decode(encoding, resume(head, markBytes, chunks)), encoding, isGuessed, warnings };
  } catch (error) {
    await chunks.return?.();
    throw error;
  }
}

async function* decode(encoding: CsvEncoding, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  switch (encoding) {
    case 'utf-8':
      yield* source;
      return;
    case 'gb18030':
      yield* decodeGb18030(source);
      return;
    case 'windows-1252':
    case 'iso-8859-1':
      for await (const chunk of source) yield decodeSingleBytes(chunk, encoding);
      return;
    default:
      encoding satisfies never;
  }
}

/** @throws SchemaError naming the first line that is not UTF-8; `line` is the line at which `bytes` begin. */
export function* requireUtf8(bytes: Buffer, line: number): Steps<void> {
  for (let from = 0, to = 0; from < bytes.length; from = to) {
    to = Math.min(from + checkedInStep, bytes.length);
    // Moves the end of the part back to the beginning of a character, which has at most three further bytes.
    for (let back = 0; back < 3 && to < bytes.length && (bytes[to]! & 0xc0) === 0x80; back++) to--;
    if (!isUtf8(bytes.subarray(from, to))) throw notUtf8(line + lineOfBadByte(bytes, from));
    yield;
  }
}

/** The number of lines of `bytes` before the first line that is not UTF-8. All bytes before `from` are known to be UTF-8. */
function lineOfBadByte(bytes: Buffer, from: number): number {
  const lineStart = from === 0 ? 0 : bytes.lastIndexOf(LF, from - 1) + 1;
  return countLines(bytes.subarray(0, lineStart)) + firstBadLine(bytes.subarray(lineStart), isUtf8);
}

function notUtf8(line: number): SchemaError {
  return csvProblem(
    'not_utf8',
    { line },
    {
      zh: '这一行不是 UTF-8 编码；GBK/GB18030 文件请加上 ?encoding=gb18030，西欧 Windows 文件请加上 ?encoding=windows-1252；其他编码（如 Big5、Shift-JIS、KOI8-R）的文件请另存为 UTF-8，若只有个别行损坏，请改写这些行',
      en: 'the bytes are not UTF-8; say ?encoding=gb18030 for GBK or GB18030, or ?encoding=windows-1252 for a file of Western Windows; save a file of another encoding, such as Big5, Shift-JIS or KOI8-R, as UTF-8; if only some lines are broken, write them anew',
    },
  );
}

function detect(head: Buffer, { asked, charset }: EncodingChoice): { encoding: CsvEncoding; markBytes: number; isGuessed: boolean } {
  if (head[0] === 0xff && head[1] === 0xfe) throw unsupported('UTF-16');
  if (head[0] === 0xfe && head[1] === 0xff) throw unsupported('UTF-16');
  const mark = readMark(head);
  if (!mark) {
    const told = asked ?? charset;
    const isGuessed = told === undefined && looksWestern(head);
    return { encoding: told ?? (isGuessed ? 'windows-1252' : 'utf-8'), markBytes: 0, isGuessed };
  }
  if (asked !== undefined && asked !== mark.encoding) {
    throw encodingProblem(`文件以 ${mark.encoding} 的字节顺序标记开头`, `the file begins with the byte order mark of ${mark.encoding}`);
  }
  return { ...mark, isGuessed: false };
}

function guessed({ line, word }: { line: number; word: string }): Bilingual {
  return {
    zh: `文件不是 UTF-8，推测为 windows-1252，如第 ${line} 行的“${word}”；若读错了，请用 ?encoding= 说明编码，或另存为 UTF-8 再上传`,
    en: `the file is not UTF-8 and was taken for windows-1252, as in "${word}" in line ${line}; if that is wrong, name the encoding by ?encoding=, or save the file as UTF-8`,
  };
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

/**
 * Decodes each chunk when it arrives, without joining a whole line: decoding a line of 16 MiB at once takes 0.4 s.
 * @throws SchemaError with the line of a bad byte
 */
async function* decodeGb18030(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  const decoder = new TextDecoder('gb18030', { fatal: true });
  let line = 1;
  for await (const chunk of source) {
    // The first byte after a line feed begins a character: a line feed is never part of a longer GB18030 character, whose further bytes are
    // 0x30 or higher.
    const feed = chunk.indexOf(LF);
    const begun = chunk.subarray(0, feed === -1 ? chunk.length : feed + 1);
    const rest = chunk.subarray(begun.length);
    const text = decodePart(decoder, begun);
    if (text === null) throw notGb18030(line);
    yield Buffer.from(text, 'utf8');
    line += feed === -1 ? 0 : 1;
    const more = decodePart(decoder, rest);
    if (more === null) throw notGb18030(line + firstBadLine(rest, isGb18030));
    yield Buffer.from(more, 'utf8');
    line += countLines(rest);
  }
  if (decodePart(decoder, null) === null) throw notGb18030(line);
}

/** @throws SchemaError for a record, or an unclosed quote, that is longer than `longestRecordBytes` */
export function recordTooLong(line: number): SchemaError {
  return csvProblem(
    'record_too_long',
    { line },
    {
      zh: '从这一行开始的记录超过 16 MiB；可能缺少结束引号',
      en: 'the record that begins here is longer than 16 MiB; a closing quote may be missing',
    },
  );
}

function notGb18030(line: number): SchemaError {
  return csvProblem('not_gb18030', { line }, { zh: '这一行不是 GB18030 编码', en: 'the bytes are not GB18030' });
}

function isGb18030(bytes: Uint8Array): boolean {
  return decodePart(new TextDecoder('gb18030', { fatal: true }), bytes) !== null;
}

/** Decodes the next bytes; null if the bytes are not valid. @param bytes null at the end of the file */
function decodePart(decoder: TextDecoder, bytes: Uint8Array | null): string | null {
  try {
    return bytes === null ? decoder.decode() : decoder.decode(bytes, { stream: true });
  } catch {
    return null;
  }
}

/**
 * The number of lines of `bytes` before the first line that is not `valid`; there must be such a line. A binary search is used, because to
 * check millions of short lines one by one takes seconds.
 */
export function firstBadLine(bytes: Uint8Array, valid: (lines: Uint8Array) => boolean): number {
  let start = 0;
  for (let end = bytes.length; ;) {
    const middle = start + Math.floor((end - start) / 2);
    const before = bytes.subarray(start, middle).lastIndexOf(LF);
    const cut = before === -1 ? middle + bytes.subarray(middle, end).indexOf(LF) + 1 : start + before + 1;
    if (cut === end || (before === -1 && cut === middle)) return countLines(bytes.subarray(0, start));
    if (valid(bytes.subarray(start, cut))) start = cut;
    else end = cut;
  }
}

/** The number of line feeds. */
export function countLines(bytes: Uint8Array): number {
  let lines = 0;
  // With millions of short lines, one `indexOf` call per line would cost more than this loop over the bytes.
  for (const byte of bytes) if (byte === LF) lines++;
  return lines;
}
