import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { SchemaError } from '../../../common/errors/api-error.js';
import { UploadDiskFullError } from '../../warehouse.errors.js';

const dayMs = 86_400_000;

/** An uploaded file that was written into a new folder below `directory`. */
export interface SpooledFile {
  directory: string;
  folder: string;
  size: number;
  remove: () => Promise<void>;
}

/**
 * Keeps uploaded files on disk while they are read. A process removes the files that an earlier process on the same machine left behind.
 */
export class SpoolFolder {
  private readonly directory: string;

  constructor(
    dataDirectory: string,
    private readonly mostBytes: number,
  ) {
    this.directory = path.resolve(dataDirectory, 'uploads');
  }

  /** Removes the folders of processes that have ended. Other machines may share the directory: their folders are removed after a day. */
  async sweep(): Promise<void> {
    for (const folder of await readdir(this.directory).catch(() => [])) {
      const place = path.join(this.directory, folder);
      const [, host, pid] = /^(.*)-(\d+)-[0-9a-f]+$/.exec(folder) ?? [];
      const isOver = host === os.hostname() ? Number(pid) === process.pid || !isRunning(Number(pid)) : await isOld(place);
      if (isOver) await rm(place, { recursive: true, force: true });
    }
  }

  /**
   * Writes a file. On any failure the file is removed.
   * @throws SchemaError for a file that is too large, UploadDiskFullError, and the errors of `bytes`
   */
  async write(bytes: AsyncIterable<Buffer>, name: string): Promise<SpooledFile> {
    const folder = `${os.hostname()}-${process.pid}-${randomBytes(8).toString('hex')}`;
    const place = path.join(this.directory, folder);
    const remove = (): Promise<void> => rm(place, { recursive: true, force: true });
    let size = 0;
    const mostBytes = this.mostBytes;
    const bounded = async function* (): AsyncGenerator<Buffer, void> {
      for await (const chunk of bytes) {
        size += chunk.length;
        if (size > mostBytes) throw tooLarge(mostBytes);
        yield chunk;
      }
    };
    try {
      await mkdir(place, { recursive: true, mode: 0o700 });
      await pipeline(bounded, createWriteStream(path.join(place, name), { mode: 0o600 }));
      return { directory: this.directory, folder, size, remove };
    } catch (error) {
      await remove();
      throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? new UploadDiskFullError(error) : error;
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

async function isOld(place: string): Promise<boolean> {
  const found = await stat(place).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs > dayMs;
}

function tooLarge(mostBytes: number): SchemaError {
  const megabytes = mostBytes / 1024 / 1024;
  const text = {
    zh: `Parquet 文件超过 ${megabytes} MiB（UPLOAD_PARQUET_MAX_MB）；请分成几个文件上传`,
    en: `the Parquet file is larger than ${megabytes} MiB (UPLOAD_PARQUET_MAX_MB); upload it in several files`,
  };
  return new SchemaError([{ loc: ['body'], text, type: 'parquet_too_large' }]);
}
