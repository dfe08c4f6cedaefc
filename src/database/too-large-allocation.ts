import { sqlstates, sqlstateOf } from '../sql/sqlstate.js';

/**
 * PostgreSQL allocates at most a gigabyte at once and calls a larger request an internal error (XX000). For us the value is too
 * large.
 */
export function isTooLargeForAnyValue(failure: unknown): boolean {
  const { message } = (failure ?? {}) as { message?: unknown };
  return (
    sqlstateOf(failure) === sqlstates.internalError &&
    typeof message === 'string' &&
    message.startsWith('invalid memory alloc request size')
  );
}
