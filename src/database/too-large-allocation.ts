/** PostgreSQL allocates at most a gigabyte at once; what asks for more is an internal error (XX000) to it, and too large a value to us. */
export function isTooLargeForAnyValue(failure: unknown): boolean {
  const { code, message } = (failure ?? {}) as { code?: unknown; message?: unknown };
  return code === 'XX000' && typeof message === 'string' && message.startsWith('invalid memory alloc request size');
}
