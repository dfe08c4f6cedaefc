import { sqlstates, sqlstateOf } from '../sql/sqlstate.js';

/**
 * Whether a statement failed because a value is too large for PostgreSQL, which allocates at most a gigabyte at once and reports a larger
 * request as an internal error (XX000).
 */
export function isTooLargeForAnyValue(failure: unknown): boolean {
  const { message } = (failure ?? {}) as { message?: unknown };
  return (
    sqlstateOf(failure) === sqlstates.internalError &&
    typeof message === 'string' &&
    message.startsWith('invalid memory alloc request size')
  );
}
