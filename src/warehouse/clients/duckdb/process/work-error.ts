import { type Failure } from '../protocol.js';

/** Work that failed for a reason that has a name. */
export class WorkError extends Error {
  constructor(
    readonly code: Failure['code'],
    readonly more: Pick<Failure, 'column' | 'bytes'> = {},
  ) {
    super(code);
  }
}

const unreadable = 'unreadable value ';

/** SQL that ends the statement because of a value of a column. */
export function unreadableValue(column: number): string {
  return `error('${unreadable}${column}')`;
}

export function toFailure(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof WorkError) return { code: error.code, message, ...error.more };
  const column = new RegExp(`${unreadable}(\\d+)`).exec(message)?.[1];
  return column === undefined ? { code: 'duckdb', message } : { code: 'unreadable_value', message, column: Number(column) };
}
