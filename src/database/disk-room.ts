import { statfs } from 'node:fs/promises';

const mebibyte = 1_048_576;
/** PostgreSQL ends when its log cannot grow by one more file of 16 MiB. */
const leastReserve = 64 * mebibyte;
const mostReserve = 1_024 * mebibyte;
const leastLog = 128 * mebibyte;
const mostLog = 4_096 * mebibyte;
/** The part of a disk that is kept free, and the part that the log of the embedded server may take between two checkpoints. */
const part = 0.05;

export interface DiskRoom {
  freeBytes: number;
  diskBytes: number;
}

/** The room on the disk of a directory. Null where it cannot be asked, such as for a directory that does not exist. */
export async function roomOf(directory: string): Promise<DiskRoom | null> {
  const found = await statfs(directory).catch(() => null);
  return found && { freeBytes: found.bavail * found.bsize, diskBytes: found.blocks * found.bsize };
}

/** @param reserveMb as a setting gives it; undefined for the usual reserve */
export function reserveOf({ diskBytes }: DiskRoom, reserveMb: number | undefined): number {
  if (reserveMb !== undefined) return reserveMb * mebibyte;
  return Math.max(leastReserve, Math.min(mostReserve, part * diskBytes));
}

/** On a small disk the log of the server must not take what its tables need. */
export function logMegabytesOf(room: DiskRoom | null): number {
  const bytes = room === null ? mostLog : Math.max(leastLog, Math.min(mostLog, part * room.diskBytes));
  return Math.floor(bytes / mebibyte);
}
