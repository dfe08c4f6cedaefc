import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { pipeline } from 'node:stream';
import { BackupDamagedError, BackupFileUnusableError } from './backup.errors.js';

/** A file in a tar archive. */
export interface Entry {
  name: string;
  body: Buffer;
}

const block = 512;
/** The most bytes of an entry. Entries of rows have at most 1 MB; the manifest of 100,000 tables has some 100 MB. */
const largestEntryBytes = 256 * 1024 * 1024;

/** The bytes of one entry in a tar archive (POSIX ustar), so that `tar tzf` lists a backup. The name has at most 100 ASCII letters. */
export function tarEntry({ name, body }: Entry): Buffer[] {
  const header = Buffer.alloc(block);
  const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;
  header.write(name, 0, 100, 'ascii');
  header.write(octal(0o600, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(body.length, 12), 124);
  header.write(octal(0, 12), 136);
  header.write('0ustar\x0000', 156);
  header.copyWithin(257, 157, 165);
  header.fill(0, 157, 165);
  header.write(checksum(header), 148);
  return [header, body, Buffer.alloc((block - (body.length % block)) % block)];
}

/** The two empty blocks that end a tar archive. */
export const tarEnd = Buffer.alloc(2 * block);

/**
 * Reads a gzipped tar archive entry by entry, so that only one entry is in memory at a time.
 * @throws BackupDamagedError when the file is not a gzipped tar archive or ends early; BackupFileUnusableError when it cannot be read
 */
export async function* readArchive(file: string): AsyncGenerator<Entry> {
  const unzipped = pipeline(createReadStream(file), createGunzip(), () => undefined);
  const source = new BlockReader(unzipped[Symbol.asyncIterator]() as AsyncIterator<Buffer>);
  const damaged = (detail: string): BackupDamagedError => new BackupDamagedError(file, detail);
  try {
    for (;;) {
      const header = await source.take(block);
      if (header === null) throw damaged('ends early');
      if (header.every(byte => byte === 0)) break;
      if (header.toString('latin1', 257, 262) !== 'ustar' || header.toString('latin1', 148, 156) !== checksum(header)) {
        throw damaged('not a tar archive');
      }
      const name = header.toString('latin1', 0, 100).split('\0', 1)[0]!;
      const size = Number.parseInt(header.toString('latin1', 124, 136), 8);
      if (!(size >= 0 && size <= largestEntryBytes)) throw damaged(`entry of ${size} bytes`);
      const body = await source.take(size);
      if (body === null || (await source.take((block - (size % block)) % block)) === null) throw damaged('ends early');
      yield { name, body };
    }
    // Reads to the end of the file, where gzip keeps its checksum.
    while ((await source.take(block)) !== null);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code.startsWith('Z_')) throw damaged(code === 'Z_BUF_ERROR' ? 'ends early' : 'not a gzip file, or damaged');
    if ((error as NodeJS.ErrnoException).syscall !== undefined) throw new BackupFileUnusableError(file, error as NodeJS.ErrnoException);
    throw error;
  } finally {
    unzipped.destroy();
  }
}

/** The checksum of a tar header as tar writes it: the sum of all bytes, with the checksum field itself counted as spaces. */
function checksum(header: Buffer): string {
  let sum = 8 * 32;
  for (let at = 0; at < block; at++) if (at < 148 || at >= 156) sum += header[at]!;
  return `${sum.toString(8).padStart(6, '0')}\0 `;
}

class BlockReader {
  private held: Buffer[] = [];
  private heldBytes = 0;

  constructor(private readonly source: AsyncIterator<Buffer>) {}

  /** The next `size` bytes. Null when fewer bytes are left. */
  async take(size: number): Promise<Buffer | null> {
    while (this.heldBytes < size) {
      const next = await this.source.next();
      if (next.done) return null;
      this.held.push(next.value);
      this.heldBytes += next.value.length;
    }
    const all = this.held.length === 1 ? this.held[0]! : Buffer.concat(this.held, this.heldBytes);
    this.held = [all.subarray(size)];
    this.heldBytes -= size;
    return all.subarray(0, size);
  }
}
