import { ApiError } from '../errors/api-error.js';
import { LanguageError } from '../../text/language-error.js';
import { sqlstates } from '../../sql/sqlstate.js';
import { isTextWithheld } from './withhold-text.js';

/** The parts of an error that the log shows. */
export interface DescribedCause {
  type: string;
  /** A SQLSTATE, an error code of Node, or an error code of this service. */
  code?: string;
  message: string;
  /** The stack frames of the place where the error was thrown, one a line, without the message. */
  stack?: string;
  cause?: DescribedCause;
}

interface Thrown {
  name?: unknown;
  code?: unknown;
  message?: unknown;
  stack?: unknown;
  cause?: unknown;
  severity?: unknown;
  driverError?: unknown;
  table?: unknown;
  constraint?: unknown;
}

const withheld = '(text withheld: it may quote values)';
const withheldForeign = '(text of another server withheld)';
const deepest = 4;

/**
 * The SQLSTATE classes whose texts name objects and circumstances, never values. A class such as 22 is left out: 22P02 reads
 * `invalid input syntax for type integer: "…"`. https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const plainClasses = /^(08|0A|23|25|26|28|3D|40|53|55|57|58|XX)/;
const plainCodes = new Set<string>([
  sqlstates.undefinedTable,
  sqlstates.duplicateTable,
  sqlstates.undefinedColumn,
  sqlstates.undefinedFunction,
  sqlstates.insufficientPrivilege,
]);

/** Names of JavaScript error types whose messages do not repeat their input. */
const plainTypes = new Set(['Error', 'TypeError', 'RangeError', 'ReferenceError', 'AssertionError', 'AggregateError', 'AbortError']);

/**
 * Describes an error for the log: its type, its code and its place. Its message is included only if it is known to quote no input. Driver
 * errors carry the statement, parameters and rows as properties, and parsers quote the line where they stopped (`Unexpected token 'h',
 * "{"password":hunter2}" is not valid JSON`); neither may reach a log.
 */
export function describeCause(thrown: unknown, depth = 0): DescribedCause {
  if (typeof thrown !== 'object' || thrown === null) return { type: typeof thrown, message: withheld };
  const error = thrown as Thrown;
  // TypeORM wraps the driver's error and copies its message, so the driver's error is described instead.
  if (error.driverError !== undefined && depth < deepest) return describeCause(error.driverError, depth + 1);
  const type = thrown.constructor?.name ?? 'object';
  const text = typeof error.message === 'string' ? error.message : '';
  const isForeign = isTextWithheld(thrown);
  const code = typeof error.code === 'string' && (!isForeign || /^\w{1,60}$/.test(error.code)) ? error.code : undefined;
  // The sentence of this service's own errors is public, so it may be logged.
  const isOurs = thrown instanceof ApiError || thrown instanceof LanguageError;
  const message = isForeign ? withheldForeign : isOurs ? text : messageOf(error, type, code, text);
  const frames = framesOf(error.stack, text);
  return {
    type,
    ...(code === undefined ? {} : { code }),
    message,
    ...(frames === '' ? {} : { stack: frames }),
    ...(error.cause === undefined || depth >= deepest ? {} : { cause: describeCause(error.cause, depth + 1) }),
  };
}

function messageOf({ severity, table, constraint }: Thrown, type: string, code: string | undefined, text: string): string {
  if (typeof severity === 'string' && code !== undefined) {
    if (plainClasses.test(code) || plainCodes.has(code)) return text;
    const place = [table, constraint].filter(name => typeof name === 'string').join(', ');
    return place === '' ? withheld : `${withheld} at ${place}`;
  }
  if (/^ERR_(INVALID|UNKNOWN|UNESCAPED)/.test(code ?? '')) return withheld;
  return plainTypes.has(type) ? text : withheld;
}

/** The stack frames of an error. The message is cut off by its length, because it may have lines that look like frames. */
function framesOf(stack: unknown, text: string): string {
  if (typeof stack !== 'string') return '';
  const start = text === '' ? 0 : stack.indexOf(text);
  const rest = start < 0 ? '' : stack.slice(start + text.length);
  return rest
    .split('\n')
    .filter(line => /^\s+at /.test(line))
    .map(line => line.trim())
    .join('\n');
}
