import { type Failure } from '../protocol.js';
import { type UnreadableReason } from '../unreadable-file.js';

/** A failure of work whose reason has a code. */
export class WorkError extends Error {
  constructor(
    readonly code: Failure['code'],
    readonly more: Pick<Failure, 'column' | 'bytes' | 'unreadable'> = {},
    cause?: unknown,
  ) {
    super(code, { cause });
  }
}

/** A file of a folder cannot be read. `cause` is the error with which a statement that reads the file fails. */
export class UnreadableFileError extends WorkError {
  constructor(file: string, reason: UnreadableReason, cause?: unknown) {
    super('unreadable_file', { unreadable: { file, reason } }, cause);
  }
}

const unreadable = 'unreadable value ';

function rootOf(error: Error): Error {
  return error.cause instanceof Error ? rootOf(error.cause) : error;
}

/** SQL that ends the statement because a value of a column cannot be read. @param column the index of the column */
export function unreadableValue(column: number): string {
  return `error('${unreadable}${column}')`;
}

export function toFailure(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof WorkError) return { code: error.code, message: rootOf(error).message, ...error.more };
  const column = new RegExp(`${unreadable}(\\d+)`).exec(message)?.[1];
  return column === undefined ? { code: 'duckdb', message } : { code: 'unreadable_value', message, column: Number(column) };
}
