import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

export type FileProblem = 'missing' | 'not_regular' | 'unreadable' | 'too_large';

/**
 * Reads a small regular file. The function follows symbolic links (mounted secrets are links), does not block on a FIFO, refuses devices
 * and directories, and reads at most `maxBytes` + 1 bytes, even if the file grows meanwhile.
 * @returns the bytes of the file, or what is wrong with it.
 */
export async function readBoundedFile(path: string, maxBytes: number): Promise<Buffer | FileProblem> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'unreadable';
  }
  try {
    const { size } = await file.stat().then(stat => (stat.isFile() ? stat : { size: null }));
    if (size === null) return 'not_regular';
    if (size > maxBytes) return 'too_large';
    const buffer = Buffer.alloc(maxBytes + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) return buffer.subarray(0, length);
      length += bytesRead;
    }
    return 'too_large';
  } catch {
    return 'unreadable';
  } finally {
    await file.close();
  }
}
