import { type Bilingual } from '../../text/bilingual.js';
import { ApiError } from '../../common/errors/api-error.js';
import { DatabaseBusyError, DatabaseUnavailableError } from '../../common/errors/common-errors.js';
import { toApiError } from '../../common/errors/to-api-error.js';
import { LanguageError } from '../../text/language-error.js';
import { sqlstates, sqlstateOf } from '../../sql/sqlstate.js';

/** The reason why a run failed, for its record: a stable code, a sentence in both languages, facts. */
export class RunFailure extends Error {
  constructor(
    readonly code: string,
    readonly text: Bilingual,
    readonly context: Record<string, unknown> = {},
  ) {
    super(text.en);
  }
}

/** Another worker has taken over the run, so this one must leave no trace of its attempt. */
export class LeaseLostError extends Error {}

/** A user asked for the run to stop. */
export class RunCancelledError extends Error {}

/** The run was tried as often as allowed. */
export function tooManyAttempts(maxAttempts: number): RunFailure {
  return new RunFailure('too_many_attempts', {
    zh: `运行了 ${maxAttempts} 次，每次都在中途失去了工作进程或数据库`,
    en: `tried ${maxAttempts} times, and each time its worker or the database was lost on the way`,
  });
}

/** Matches the limits of one backend. A run that meets them would meet them again. */
function exceedsBackend(error: unknown): boolean {
  const sqlstate = sqlstateOf(error);
  // Shared memory is used by everybody, so the run may not be the cause.
  if (sqlstate === sqlstates.outOfMemory) return !/shared memory/.test((error as Error).message);
  return sqlstate === sqlstates.configurationLimitExceeded;
}

/** The run is not the cause, so it may be tried again. */
export function isDatabaseAway(error: unknown): boolean {
  const known = toApiError(error);
  if (known instanceof DatabaseBusyError) return true;
  return known instanceof DatabaseUnavailableError && !exceedsBackend(error) && sqlstateOf(error) !== sqlstates.diskFull;
}

/** An error as a run's record shows it. PostgreSQL's own text may quote rows and stays in the log. */
export function toFailure(error: unknown): RunFailure {
  if (error instanceof RunFailure) return error;
  if (error instanceof ApiError) return new RunFailure(error.code, error.text, error.context);
  if (error instanceof LanguageError) return new RunFailure(error.code, error.text, error.facts);
  const sqlstate = sqlstateOf(error);
  if (sqlstate === sqlstates.queryCanceled) {
    return new RunFailure('statement_timeout', {
      zh: '某一步超过了 source.statement_timeout 的时限',
      en: 'a step took longer than source.statement_timeout',
    });
  }
  if (sqlstate === sqlstates.diskFull) {
    return new RunFailure(
      'disk_full',
      {
        zh: '服务的数据库磁盘已满，图没有改变；请清理磁盘后重新运行',
        en: "the disk of the service's database is full, and the graph is as it was; make room and run again",
      },
      { sqlstate },
    );
  }
  if (exceedsBackend(error)) {
    return new RunFailure(
      'run_too_large',
      {
        zh: '某一步所需的内存或临时磁盘空间超过一次运行的上限；请减少映射的列或行',
        en: 'a step needed more memory or temporary disk space than one run may take; map fewer columns or rows',
      },
      { sqlstate },
    );
  }
  if (sqlstate.startsWith('22')) {
    return new RunFailure(
      'source_sql_failed',
      { zh: '映射中的 SQL 遇到了无法处理的值', en: "the mapping's own SQL met a value that it cannot process" },
      { sqlstate },
    );
  }
  return new RunFailure('internal_error', { zh: '服务器内部错误', en: 'internal server error' }, sqlstate === '' ? {} : { sqlstate });
}
