import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

const chunkBytes = 256 * 1024;
const mark = Buffer.from([0xef, 0xbb, 0xbf]);
const openList = 91;

export function isGzip(path: string): boolean {
  return path.toLowerCase().endsWith('.gz');
}

/** The bytes of a text file, unpacked if its name says that it is gzip. */
export function bytesOf(path: string): Readable {
  const file = createReadStream(path, { highWaterMark: chunkBytes });
  // The reader of the result meets its error, so the callback has nothing to do.
  return isGzip(path) ? pipeline(file, createGunzip({ chunkSize: chunkBytes }), () => undefined) : file;
}

/**
 * Whether a JSON file begins with a byte order mark and a list, which DuckDB's detection takes for a single value. A file that is not gzip,
 * whatever its name says, does not.
 */
export async function isMarkedList(path: string): Promise<boolean> {
  try {
    for await (const chunk of bytesOf(path) as AsyncIterable<Buffer>)
      return chunk.subarray(0, mark.length).equals(mark) && chunk.subarray(mark.length).find(byte => byte > 32) === openList;
  } catch (error) {
    if (!isDamagedGzip(error)) throw error;
  }
  return false;
}

/** Whether an error of reading `bytesOf` is about the content of the file. */
export function isDamagedGzip(error: unknown): boolean {
  return /^Z_/.test((error as NodeJS.ErrnoException).code ?? '');
}
