import { sqlstates, sqlstateOf } from '../../../sql/sqlstate.js';
import { maxCollectedBytes, maxValueBytes } from '../../values/bounds.js';
import { type Form, naming } from './sql-value.js';

/** The first word of the text on which {@link failing} lets a cast fail. */
type Mark = 'value_too_large' | 'collection_too_large';

export interface GrowingValue {
  form: Form & ('text' | 'jsonb');
  /** The offset of the operator or function in the query text. */
  position: number;
  operands: string[];
  /** SQL for the most bytes that `body` will take; NULL when an operand is NULL. */
  bytes: (...names: string[]) => string;
  body: (...names: string[]) => string;
}

/**
 * SQL for a value that may be larger than its operands. Its size is computed first, so that nothing beyond the limit is ever built.
 * A value is never cut: past the limit the statement fails, see {@link tooLargeIn}.
 */
export function bounded({ form, position, operands, bytes, body }: GrowingValue): string {
  return naming(operands, (...names) => {
    const size = bytes(...names);
    const failure = failing('value_too_large', size, position);
    return `(CASE WHEN ${size} > ${maxValueBytes} THEN ${form === 'text' ? `${failure}::text` : `to_jsonb(${failure})`} ELSE ${body(...names)} END)`;
  });
}

export function textBytes(...texts: string[]): string {
  return texts.map(text => `octet_length(${text})::int8`).join(' + ');
}

export function jsonBytes(...values: string[]): string {
  return values.map(value => `pg_column_size(${value})::int8`).join(' + ');
}

/** The memory that one gathered value takes. NULL for NULL, which is not gathered. */
export function gatheredBytes(value: string): string {
  return `(pg_column_size(${value})::int8 + 32)`;
}

/** A condition that is true, or fails the statement when aggregates would gather too much. `bytes` must not refer to a row. */
export function boundedCollection(bytes: string, position: number): string {
  return `(SELECT CASE WHEN g.bytes > ${maxCollectedBytes} THEN ${failing('collection_too_large', 'g.bytes', position)} IS NULL ELSE true END FROM (SELECT ${bytes} AS bytes OFFSET 0) AS g)`;
}

/**
 * A text that cannot be cast to an integer. This is the only way in plain SQL to fail with a text of our own without installing or
 * granting a function. The text contains the size, so PostgreSQL can evaluate it before execution only if it can evaluate the
 * condition above as well.
 */
function failing(mark: Mark, bytes: string, position: number): string {
  return `('${mark} ' || (${bytes}) || ' at ${position}')::int`;
}

/** Reads the size and the place that {@link failing} reported. Null for any other error. */
export function tooLargeIn(error: unknown): { gathered: boolean; bytes: number; position: number } | null {
  const { message } = (error ?? {}) as { message?: unknown };
  if (sqlstateOf(error) !== sqlstates.invalidText || typeof message !== 'string') return null;
  const found = /"(value|collection)_too_large (\d+) at (\d+)"/.exec(message);
  return found ? { gathered: found[1] === 'collection', bytes: Number(found[2]), position: Number(found[3]) } : null;
}
