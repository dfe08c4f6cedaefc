import { sqlstates, sqlstateOf } from '../../sql/sqlstate.js';
import { BusyError } from './api-error.js';

const retryAfterS = 30;

/** 503: the disk of the service's database is full. Other work than this request may have filled it. */
export class DiskFullError extends BusyError {
  constructor(cause: unknown) {
    super(
      'disk_full',
      {
        zh: '数据库的磁盘已满，什么都没有改变；请在腾出空间后重试',
        en: 'The disk of the database is full, and nothing was changed; make room and try again',
      },
      retryAfterS,
      cause,
    );
  }
}

/** 503: the shared memory of the database server is full. Its parallel workers share rows there. */
export class SharedMemoryFullError extends BusyError {
  constructor(cause: unknown) {
    super(
      'shared_memory_full',
      {
        zh: '数据库服务器的共享内存（/dev/shm）已满，什么都没有改变；请让运维加大它（Docker：--shm-size=1g），或在该服务器上设置 max_parallel_workers_per_gather = 0',
        en: 'The shared memory of the database server (/dev/shm) is full, and nothing was changed; ask the operator to enlarge it (Docker: --shm-size=1g), or to set max_parallel_workers_per_gather = 0 there',
      },
      retryAfterS,
      cause,
    );
  }
}

/**
 * Returns the error for a full disk or for full shared memory, null for other failures. Both have SQLSTATE 53100, so the source file
 * decides.
 */
export function storageErrorOf(failure: unknown): DiskFullError | SharedMemoryFullError | null {
  if (sqlstateOf(failure) !== sqlstates.diskFull) return null;
  const { file } = failure as { file?: unknown };
  return file === 'dsm_impl.c' ? new SharedMemoryFullError(failure) : new DiskFullError(failure);
}
