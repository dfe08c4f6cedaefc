import { type Bilingual } from '../../text/bilingual.js';
import { DatabaseBusyError, DatabaseUnavailableError } from './common-errors.js';
import { toApiError } from './to-api-error.js';
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
export function exceedsBackend(error: unknown): boolean {
  const sqlstate = sqlstateOf(error);
  // Shared memory is used by everybody, so the run may not be the cause.
  if (sqlstate === sqlstates.outOfMemory) return !/shared memory/.test((error as Error).message);
  return sqlstate === sqlstates.configurationLimitExceeded;
}

/** The run is not the cause, so it may be tried again. */
export function isDatabaseAway(error: unknown): boolean {
  const known = toApiError(error);
  if (known instanceof DatabaseBusyError) return true;
  return known instanceof DatabaseUnavailableError && !exceedsBackend(error);
}
