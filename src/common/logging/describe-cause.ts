import { ApiError } from '../errors/api-error.js';
import { LanguageError } from '../../text/language-error.js';
import { sqlstates } from '../../sql/sqlstate.js';
import { isTextWithheld } from './withhold-text.js';

/** The part of an error that goes into a log line. */
export interface DescribedCause {
  type: string;
  /** A SQLSTATE, a Node code or a code of ours. */
  code?: string;
  message: string;
  /** The place where it was thrown: one frame a line, without the message. */
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

/** Error types of the language whose texts do not repeat their input. */
const plainTypes = new Set(['Error', 'TypeError', 'RangeError', 'ReferenceError', 'AssertionError', 'AggregateError', 'AbortError']);

/**
 * Describes an error for the log: its type, its code, its place, and its text only when that is known to quote no input. Driver
 * errors carry the statement, parameters and rows as properties, and parsers quote the line they stopped at (`Unexpected token 'h',
 * "{"password":hunter2}" is not valid JSON`); neither may reach a log.
 */
export function describeCause(thrown: unknown, depth = 0): DescribedCause {
  if (typeof thrown !== 'object' || thrown === null) return { type: typeof thrown, message: withheld };
  const error = thrown as Thrown;
  // TypeORM wraps the driver's error and copies its text.
  if (error.driverError !== undefined && depth < deepest) return describeCause(error.driverError, depth + 1);
  const type = thrown.constructor?.name ?? 'object';
  const text = typeof error.message === 'string' ? error.message : '';
  const isForeign = isTextWithheld(thrown);
  const code = typeof error.code === 'string' && (!isForeign || /^\w{1,60}$/.test(error.code)) ? error.code : undefined;
  // The sentence of an error of ours is public anyway.
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

/** Cuts the message off the stack by its length: the message may have lines that look like frames. */
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
