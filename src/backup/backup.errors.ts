import { type DatabaseError } from 'pg';
import { quoteIdentifier, quoteTable } from '../sql/quote-identifier.js';
import { sqlstateOf, sqlstates } from '../sql/sqlstate.js';

const shownTables = 10;

/** The backup file cannot be written or read: no space, no permission, no such folder, or a backup of that name exists already. */
export class BackupFileUnusableError extends Error {
  constructor(file: string, { code, message }: NodeJS.ErrnoException) {
    const [zh, en] = reasons[code ?? ''] ?? [message, message];
    super(`无法使用备份文件 ${file}：${zh} / Cannot use the backup file ${file}: ${en}`);
  }
}

const reasons: Record<string, [zh: string, en: string]> = {
  ENOSPC: ['磁盘空间不足，请换一个空间足够的位置', 'no space is left on its disk; choose a place with more'],
  EDQUOT: ['超出磁盘配额，请换一个位置', 'the disk quota is used up; choose another place'],
  EEXIST: ['文件已存在，不会覆盖，请换一个名字', 'it exists and is not overwritten; choose another name'],
  ENOENT: ['文件或其所在目录不存在', 'there is no such file or folder'],
  EACCES: ['没有权限', 'permission denied'],
  EROFS: ['所在磁盘只读', 'its disk is read-only'],
  EISDIR: ['它是一个目录，请给出文件名', 'it is a folder; name a file'],
  ENAMETOOLONG: ['文件名过长', 'its name is too long'],
};

/** The file is not a backup, is incomplete, or differs from the backup that was written. */
export class BackupDamagedError extends Error {
  constructor(file: string, detail: string) {
    super(
      `${file} 不是完整无损的备份（${detail}），未恢复任何内容；请换用另一份备份 / ` +
        `${file} is not a complete, undamaged backup (${detail}); nothing was restored: use another one`,
    );
  }
}

/** The backup comes from a newer release, which the running release does not know. */
export class BackupIsNewerError extends Error {
  constructor(made: string, own: string) {
    super(
      `该备份由更新的版本 ${made} 生成，本版本 ${own} 无法恢复；请用版本 ${made} 或更新的版本恢复 / ` +
        `The backup was made by release ${made}, which is newer than this one (${own}): restore it with release ${made} or later`,
    );
  }
}

/** The target database of a restore holds data already. */
export class TargetNotEmptyError extends Error {
  constructor(found: string) {
    super(
      `目标数据库不为空（${found}），未作任何改动；请用 DATA_DIR 指定一个新目录，或用 DATABASE_URL 指定一个空数据库 / ` +
        `The target database is not empty (${found}); nothing was changed: set DATA_DIR to a new directory, or DATABASE_URL to an empty database`,
    );
  }
}

/** Processes of the service use the target database of a restore. */
export class ServiceRunsError extends Error {
  constructor() {
    super(
      '服务正在使用该数据库；恢复前请先停止所有服务进程 / The service is using this database: stop all of its processes before a restore',
    );
  }
}

export class NothingToBackUpError extends Error {
  constructor(place: string) {
    super(
      `${place} 中没有本服务的数据；请检查 DATA_DIR 与 DATABASE_URL / ${place} holds no data of the service: check DATA_DIR and DATABASE_URL`,
    );
  }
}

/** Tables were created, replaced or dropped at each attempt of the backup to lock all of them. */
export class TablesKeepChangingError extends Error {
  constructor() {
    super(
      '表正在不断地新建、替换或删除，无法取得一致的快照；请稍后重试 / Tables are being made, replaced or dropped all the time: try again later',
    );
  }
}

/** Another database user created tables in the schemas of the service, and the service's user may not read them. */
export class TablesUnreadableError extends Error {
  constructor(tables: readonly { schema: string; name: string }[], user: string) {
    const names = tables.slice(0, shownTables).map(({ schema, name }) => quoteTable(schema, name));
    const grants = `GRANT SELECT ON ${names.join(', ')} TO ${quoteIdentifier(user)}`;
    const [restZh, rest] =
      tables.length > names.length ? [`等 ${tables.length} 张表`, ` and ${tables.length - names.length} more`] : ['', ''];
    super(
      `无权读取 ${names.join(', ')}${restZh}，未作备份；请由其属主或管理员执行 ${grants}，或删除这些表 / ` +
        `The backup may not read ${names.join(', ')}${rest}, so nothing was backed up: have their owner or an administrator run ${grants}, or drop them`,
    );
  }
}

/** The server has too few locks for one transaction over all tables. */
export class TooFewLocksError extends Error {
  private constructor(tables: number, cause: unknown) {
    super(
      `数据库的锁不足以在一个事务中处理 ${tables} 张表，未作任何改动；请由管理员调大 max_locks_per_transaction 并重启数据库 / ` +
        `The database has too few locks for ${tables} tables in one transaction; nothing was changed: have its administrator raise max_locks_per_transaction and restart it`,
      { cause },
    );
  }

  /**
   * @returns the error to throw for `error`, which came while all tables were to be locked. PostgreSQL has no SQLSTATE for a lack of locks
   * alone, so the source file of the error is compared too
   */
  static orSame(error: unknown, tables: number): unknown {
    const lacksLocks = sqlstateOf(error) === sqlstates.outOfMemory && (error as DatabaseError).file === 'lock.c';
    return lacksLocks ? new TooFewLocksError(tables, error) : error;
  }
}
