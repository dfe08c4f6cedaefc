import { type Failure } from '../protocol.js';
import { type UnreadableFile } from '../unreadable-file.js';
import { unreadableColumn } from '../../query-failures.js';
import { quoteLiteral } from './quote-literal.js';

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
  constructor(unreadable: UnreadableFile, cause?: unknown) {
    super('unreadable_file', { unreadable }, cause);
  }
}

function rootOf(error: Error): Error {
  return error.cause instanceof Error ? rootOf(error.cause) : error;
}

const unreadablePart = 'unreadable part ';

/** SQL that raises an error because a part of a file cannot be read. The error's message contains the place as JSON. */
export function unreadablePlace(place: UnreadableFile): string {
  return `error(${quoteLiteral(unreadablePart + JSON.stringify(place))})`;
}

/** Parses the place from an error that the SQL of `unreadablePlace` raised. Null for other errors. */
export function placeTold({ message }: Error): UnreadableFile | null {
  const told = new RegExp(`^Invalid Input Error: ${unreadablePart}(\\{.*\\})$`).exec(message)?.[1];
  return told === undefined ? null : (JSON.parse(told) as UnreadableFile);
}

/** Finds the place in a file from DuckDB's error about its content. Null for an error about anything else, such as a lack of memory. */
export function placeIn(file: string, { message }: Error): UnreadableFile | null {
  if (!/^(Invalid Input|IO|Serialization|Not implemented|Conversion) Error:/.test(message)) return null;
  const [, unit, at] = /in (line) (\d+)|in (record)\/value (\d+)/.exec(message)?.filter(part => part !== undefined) ?? [];
  if (at === undefined) return { file, reason: 'damaged' };
  // DuckDB counts a malformed record twice, so its number is one too high.
  const place = Number(at) - (message.includes('Error: Malformed JSON') ? 1 : 0);
  const twice = /has duplicate key "(.*)"$/m.exec(message)?.[1];
  const of = twice === undefined ? { reason: 'damaged' as const } : { reason: 'twice' as const, column: twice };
  return { file, ...of, ...(unit === 'record' ? { record: place } : { line: place }) };
}

export function toFailure(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof WorkError) return { code: error.code, message: rootOf(error).message, ...error.more };
  const column = unreadableColumn(message);
  return column === null ? { code: 'duckdb', message } : { code: 'unreadable_value', message, column };
}
