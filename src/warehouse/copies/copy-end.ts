import { ApiError } from '../../common/errors/api-error.js';
import { exceedsBackend, RunFailure } from '../../common/errors/run-failure.js';
import { storageErrorOf } from '../../common/errors/storage-error.js';
import { sqlstateOf } from '../../sql/sqlstate.js';
import { isLockTimeout } from '../mirror/replace-tables.js';
import { TableBusyError } from '../warehouse.errors.js';

/** Turns an error into the failure that the record of a copy shows. PostgreSQL's own text may quote rows, so it appears only in the log. */
export function toCopyEnd(error: unknown): RunFailure {
  if (error instanceof RunFailure) return error;
  const known = isLockTimeout(error) ? new TableBusyError() : error;
  if (known instanceof ApiError) return new RunFailure(known.code, known.text, known.context);
  const sqlstate = sqlstateOf(error);
  const full = storageErrorOf(error);
  if (full) return new RunFailure(full.code, full.text, { sqlstate });
  if (exceedsBackend(error)) {
    return new RunFailure(
      'copy_too_large',
      {
        zh: '某一步所需的内存或临时磁盘空间超过上限；请复制较少的表或行',
        en: 'a step needed more memory or temporary disk space than it may take; copy fewer tables or rows',
      },
      { sqlstate },
    );
  }
  return new RunFailure('internal_error', { zh: '服务器内部错误', en: 'internal server error' }, sqlstate === '' ? {} : { sqlstate });
}
