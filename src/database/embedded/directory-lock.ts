import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { ownPlace, type ProcessPlace, startOf } from './process-place.js';

const lockFileName = 'service.lock';
/** The length of the record in bytes. It is always the same, so that a later record takes no more room on a full disk. */
const recordBytes = 1024;
/** O_EXLOCK of open(2) on macOS: takes the lock of flock(2) while opening. Node has no constant for it. */
const openExclusively = 0x20;

/** The process that holds the directory or held it last. */
export interface Holder extends ProcessPlace {
  /** The time at which the holder took the directory, as ISO 8601. */
  since: string;
  /** The server that this holder started last. Before that, the last server of the former holder, with `started: 'ended'`. */
  server: { pid: number; started: string } | null;
}

export class DataDirectoryInUseError extends Error {
  constructor(directory: string, holder: Holder | null) {
    const [zh, en] = holder
      ? [
          `（主机 ${holder.host} 上的进程 ${holder.pid}，自 ${holder.since} 起）`,
          ` (process ${holder.pid} on host ${holder.host}, since ${holder.since})`,
        ]
      : ['', ''];
    super(
      `另一个实例正在使用数据目录 ${directory}${zh}，请先停止它，或用 DATA_DIR 指定别的目录 / ` +
        `Another instance is using the data directory ${directory}${en}: stop it first, or set DATA_DIR to another one`,
    );
  }
}

/** The data directory cannot be locked on this system, so nothing would keep a second server away from it. */
export class DirectoryNotLockableError extends Error {
  constructor(directory: string, reason: { zh: string; en: string }) {
    super(
      `无法锁定数据目录 ${directory}：${reason.zh}，或用 DATABASE_URL 指定一个 PostgreSQL / ` +
        `Cannot lock the data directory ${directory}: ${reason.en}, or set DATABASE_URL to a PostgreSQL server`,
    );
  }
}

/**
 * Holds a data directory by a lock on a file in it, for all paths, containers and processes. The lock of flock(2) belongs to the open file.
 * Programs that inherit the descriptor hold it too: the lock lasts until this process, its server and each process of the server have ended
 * in any way. The file is never deleted: a process that then creates and locks a new file would not see this lock.
 */
export class DirectoryLock {
  private isHeld = true;

  private constructor(
    /** The descriptor of the lock file. Programs that write to the directory inherit it. */
    readonly descriptor: number,
    /** The former holder, if any. It has ended, and so has every program that inherited its lock. */
    readonly former: Holder | null,
    private readonly own: Holder,
  ) {}

  /** Takes the lock; null if another process holds it. @throws DirectoryNotLockableError */
  static take(directory: string): DirectoryLock | null {
    const descriptor = openLocked(directory);
    if (descriptor === null) return null;
    const former = readHolder(directory);
    const server = former?.server ? { pid: former.server.pid, started: 'ended' } : null;
    const own = { ...ownPlace(), since: new Date().toISOString(), server };
    const lock = new DirectoryLock(descriptor, former, own);
    try {
      lock.write();
    } catch (error) {
      lock.release();
      throw error;
    }
    return lock;
  }

  /** Records which server has inherited the lock, for later holders. */
  noteServer(pid: number): void {
    this.own.server = { pid, started: startOf(pid) ?? '' };
    try {
      this.write();
    } catch {
      // The record still names this process as the holder, but no server. A later holder then leaves `postmaster.pid` to PostgreSQL's own
      // check instead of removing it.
    }
  }

  /** Releases the lock of this process. Programs that inherited the descriptor still hold it. */
  release(): void {
    if (this.isHeld) closeSync(this.descriptor);
    this.isHeld = false;
  }

  private write(): void {
    writeSync(this.descriptor, JSON.stringify(this.own).padEnd(recordBytes), 0);
  }
}

/** Reads the record of the holder; null before the first holder has written one. */
export function readHolder(directory: string): Holder | null {
  try {
    return JSON.parse(readFileSync(path.join(directory, lockFileName), 'utf8')) as Holder;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function openLocked(directory: string): number | null {
  const file = path.join(directory, lockFileName);
  const flags = constants.O_RDWR | constants.O_CREAT;
  switch (process.platform) {
    case 'linux': {
      const descriptor = openSync(file, flags, 0o600);
      try {
        if (flock(descriptor, directory)) return descriptor;
      } catch (error) {
        closeSync(descriptor);
        throw error;
      }
      closeSync(descriptor);
      return null;
    }
    case 'darwin':
      try {
        return openSync(file, flags | openExclusively | constants.O_NONBLOCK, 0o600);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return null;
        throw error;
      }
    default:
      throw new DirectoryNotLockableError(directory, {
        zh: `${process.platform} 上没有可用的锁；请在 Linux 或 macOS 上运行`,
        en: `there is no lock for it on ${process.platform}; run on Linux or macOS`,
      });
  }
}

/**
 * Locks the file with the program flock, because Node has no flock(2). The program locks a descriptor that it inherits, and the lock stays
 * with the open file.
 */
function flock(descriptor: number, directory: string): boolean {
  const { status, stderr, error } = spawnSync('flock', ['-n', '-x', '3'], { stdio: ['ignore', 'ignore', 'pipe', descriptor] });
  if (status === 0) return true;
  const complaint = error?.message ?? stderr.toString().trim();
  // The program ends silently with status 1 only when another process holds the lock.
  if (status === 1 && complaint === '') return false;
  const isMissing = error !== undefined && 'code' in error && error.code === 'ENOENT';
  throw new DirectoryNotLockableError(
    directory,
    isMissing
      ? { zh: '缺少命令 flock；请安装 util-linux', en: 'the command flock is missing; install util-linux' }
      : { zh: `${complaint}；请换一个支持文件锁的磁盘`, en: `${complaint}; use a disk that supports file locks` },
  );
}
