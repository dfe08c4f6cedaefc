import { type Bilingual } from '../../text/bilingual.js';
import { DatabaseBusyError, DatabaseUnavailableError } from './common-errors.js';
import { toApiError } from './to-api-error.js';
import { sqlstates, sqlstateOf } from '../../sql/sqlstate.js';

/** The reason why a run failed, for the run's record: a stable code, a sentence in both languages, and facts. */
export class RunFailure extends Error {
  constructor(
    readonly code: string,
    readonly text: Bilingual,
    readonly context: Record<string, unknown> = {},
  ) {
    super(text.en);
  }
}

/** Another worker has taken over the run, so this worker must leave no trace of its attempt. */
export class LeaseLostError extends Error {}

/** The run was stopped because a user asked for it. */
export class RunCancelledError extends Error {}

/** The failure of a run that was tried as often as allowed. */
export function tooManyAttempts(maxAttempts: number): RunFailure {
  return new RunFailure('too_many_attempts', {
    zh: `运行了 ${maxAttempts} 次，每次都在中途失去了工作进程或数据库`,
    en: `tried ${maxAttempts} times, and each time its worker or the database was lost on the way`,
  });
}

/** Whether an error is a limit of one PostgreSQL server process, such as its memory. A repeated run would meet the limit again. */
export function exceedsBackend(error: unknown): boolean {
  const sqlstate = sqlstateOf(error);
  // All server processes use the shared memory, so another process may have filled it.
  if (sqlstate === sqlstates.outOfMemory) return !/shared memory/.test((error as Error).message);
  return sqlstate === sqlstates.configurationLimitExceeded;
}

/** Whether the database was unreachable or had no free connection. The run did not cause such an error, so it may be tried again. */
export function isDatabaseAway(error: unknown): boolean {
  const known = toApiError(error);
  if (known instanceof DatabaseBusyError) return true;
  return known instanceof DatabaseUnavailableError && !exceedsBackend(error);
}
