import { ApiError } from '../../common/errors/api-error.js';
import { exceedsBackend, RunFailure } from '../../common/errors/run-failure.js';
import { storageErrorOf } from '../../common/errors/storage-error.js';
import { LanguageError } from '../../text/language-error.js';
import { sqlstates, sqlstateOf } from '../../sql/sqlstate.js';

/** An error in the form in which the record of a run shows it. PostgreSQL's own message may quote rows, so it stays in the log. */
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
  const full = storageErrorOf(error);
  if (full) return new RunFailure(full.code, full.text, { sqlstate });
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
