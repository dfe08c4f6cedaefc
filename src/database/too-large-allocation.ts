import { SQLSTATE, sqlstateOf } from '../sql/sqlstate.js';

/** PostgreSQL allocates at most a gigabyte at once; what asks for more is an internal error (XX000) to it, and too large a value to us. */
export function isTooLargeForAnyValue(failure: unknown): boolean {
  const { message } = (failure ?? {}) as { message?: unknown };
  return (
    sqlstateOf(failure) === SQLSTATE.internalError && typeof message === 'string' && message.startsWith('invalid memory alloc request size')
  );
}
