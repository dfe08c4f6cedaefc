import { statfs } from 'node:fs/promises';

const mebibyte = 1_048_576;
/** The smallest reserve of free disk space, in bytes. PostgreSQL stops when its write-ahead log cannot grow by one more file of 16 MiB. */
const leastReserve = 64 * mebibyte;
const mostReserve = 1_024 * mebibyte;
const leastLog = 128 * mebibyte;
const mostLog = 4_096 * mebibyte;
/** The share of a disk that is kept free, and the share that the embedded server's write-ahead log may take between two checkpoints. */
const part = 0.05;

export interface DiskRoom {
  freeBytes: number;
  diskBytes: number;
}

/**
 * The size and the free space of the disk that holds a directory. Null if they cannot be read, for example because the directory does not
 * exist.
 */
export async function roomOf(directory: string): Promise<DiskRoom | null> {
  const found = await statfs(directory).catch(() => null);
  return found && { freeBytes: found.bavail * found.bsize, diskBytes: found.blocks * found.bsize };
}

/** The bytes of a disk to keep free. @param reserveMb the reserve that a setting asks for; undefined for the usual reserve */
export function reserveOf({ diskBytes }: DiskRoom, reserveMb: number | undefined): number {
  if (reserveMb !== undefined) return reserveMb * mebibyte;
  return Math.max(leastReserve, Math.min(mostReserve, part * diskBytes));
}

/** The most megabytes of the embedded server's write-ahead log. On a small disk the log must not take the room that tables need. */
export function logMegabytesOf(room: DiskRoom | null): number {
  const bytes = room === null ? mostLog : Math.max(leastLog, Math.min(mostLog, part * room.diskBytes));
  return Math.floor(bytes / mebibyte);
}
