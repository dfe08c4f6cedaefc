import { createGunzip, type Gunzip } from 'node:zlib';
import { SchemaError } from '../../../common/errors/api-error.js';
import { type Bilingual } from '../../../text/bilingual.js';
import { passThrough } from './pass-through.js';

export interface GzipBounds {
  /** The most decompressed bytes for each received byte. CSV is seldom compressed to less than a fiftieth. */
  ratio: number;
  /** The most decompressed bytes that every file may have, however few bytes were received. */
  freeBytes: number;
  /** The time in ms that the whole file may take, which is the time that an upload may take. */
  ms: number;
}

const gzipHead = Buffer.from([0x1f, 0x8b]);

/**
 * Decompresses a body that begins with the magic bytes of gzip, or that is declared as gzip (`isDeclared`). Any other body passes through
 * unchanged.
 * @throws SchemaError if the bytes are not gzip, or exceed `bounds`
 */
export async function* gunzip(source: AsyncIterable<Buffer>, isDeclared: boolean, bounds: GzipBounds): AsyncGenerator<Buffer, void> {
  const chunks = source[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  let received = 0;
  const counted = async function* (): AsyncGenerator<Buffer, void> {
    if (head.length > 0) yield head;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      received += next.value.length;
      yield next.value;
    }
  };
  try {
    while (head.length < gzipHead.length) {
      const next = await chunks.next();
      if (next.done) break;
      head = Buffer.concat([head, next.value]);
    }
    received = head.length;
    if (!isDeclared && !head.subarray(0, gzipHead.length).equals(gzipHead)) {
      yield* counted();
      return;
    }
    const until = performance.now() + bounds.ms;
    const inflate = createGunzip();
    let decompressed = 0;
    for await (const bytes of passThrough(requirePadding(counted(), inflate), inflate, () => inflate)) {
      decompressed += bytes.length;
      if (decompressed > Math.max(bounds.freeBytes, received * bounds.ratio)) throw tooDense(bounds.ratio);
      if (performance.now() > until) throw tooLong(bounds.ms / 1000);
      yield bytes;
    }
  } catch (error) {
    const { code } = error as { code?: unknown };
    throw typeof code === 'string' && code.startsWith('Z_') ? broken(code) : error;
  } finally {
    await chunks.return?.();
  }
}

/**
 * Passes the bytes on as far as `inflate` reads them. It ends at a zero byte behind a member of the file, since programs pad files with such
 * bytes, and would leave out all that follows. The reader asks for the next bytes only when `inflate` has taken the last ones.
 * @throws SchemaError for other bytes behind padding
 */
async function* requirePadding(source: AsyncIterable<Buffer>, inflate: Gunzip): AsyncGenerator<Buffer, void> {
  let sent = 0;
  for await (const bytes of source) {
    // A member may end with its chunk, so an engine that took all bytes may still read the next ones.
    if (sent === inflate.bytesWritten) yield bytes;
    sent += bytes.length;
    const left = Math.min(sent - inflate.bytesWritten, bytes.length);
    if (bytes.subarray(bytes.length - left).some(byte => byte !== 0)) throw behindPadding();
  }
}

function behindPadding(): SchemaError {
  return problem('csv_gzip', {
    zh: 'gzip 数据之后有零字节，其后还有别的数据，未导入任何数据；请重新压缩，或上传未压缩的文件',
    en: 'zero bytes follow the gzip data and further bytes follow these; nothing was loaded; compress the file anew, or upload it uncompressed',
  });
}

function broken(code: string): SchemaError {
  const text =
    code === 'Z_BUF_ERROR'
      ? { zh: 'gzip 数据不完整，未导入任何数据', en: 'the gzip data ends too early; nothing was loaded' }
      : { zh: '数据不是有效的 gzip，未导入任何数据', en: 'the body is not valid gzip; nothing was loaded' };
  return problem('csv_gzip', text);
}

function tooDense(ratio: number): SchemaError {
  return problem('csv_gzip_too_dense', {
    zh: `gzip 数据解压后超过其 ${ratio} 倍；请上传未压缩的文件`,
    en: `the gzip data grows to more than ${ratio} times its size; upload the file uncompressed`,
  });
}

function tooLong(seconds: number): SchemaError {
  return problem('csv_gzip_too_long', {
    zh: `解压后的文件在 ${seconds} 秒内没有读完；请分成几个文件上传`,
    en: `the decompressed file was not read within ${seconds} s; upload it in several files`,
  });
}

function problem(type: string, text: Bilingual): SchemaError {
  return new SchemaError([{ loc: ['body'], text, type }]);
}
