import { SQLSTATE, sqlstateOf } from '../../../sql/sqlstate.js';
import { MAX_COLLECTED_BYTES, MAX_VALUE_BYTES } from '../../values/bounds.js';
import { type Form, naming } from './sql-value.js';

/** Begin the text that {@link failing} lets a cast fail on. */
type Mark = 'value_too_large' | 'collection_too_large';

export interface GrowingValue {
  form: Form & ('text' | 'jsonb');
  /** Of the operator or function in the query text. */
  position: number;
  operands: string[];
  /** SQL for the bytes that `body` will take at most; NULL where an operand is NULL. */
  bytes: (...names: string[]) => string;
  body: (...names: string[]) => string;
}

/**
 * SQL for a value that may be larger than what it is made of: its size is computed first, so that nothing beyond the bound is ever built.
 * A value is never cut: past the bound the statement fails, see {@link tooLargeIn}.
 */
export function bounded({ form, position, operands, bytes, body }: GrowingValue): string {
  return naming(operands, (...names) => {
    const size = bytes(...names);
    const failure = failing('value_too_large', size, position);
    return `(CASE WHEN ${size} > ${MAX_VALUE_BYTES} THEN ${form === 'text' ? `${failure}::text` : `to_jsonb(${failure})`} ELSE ${body(...names)} END)`;
  });
}

export function textBytes(...texts: string[]): string {
  return texts.map(text => `octet_length(${text})::int8`).join(' + ');
}

export function jsonBytes(...values: string[]): string {
  return values.map(value => `pg_column_size(${value})::int8`).join(' + ');
}

/** What one gathered value costs in memory; NULL for NULL, which is not gathered. */
export function gatheredBytes(value: string): string {
  return `(pg_column_size(${value})::int8 + 32)`;
}

/** A condition that is true, or fails the statement where aggregates would gather too much; `bytes` refers to no row. */
export function boundedCollection(bytes: string, position: number): string {
  return `(SELECT CASE WHEN g.bytes > ${MAX_COLLECTED_BYTES} THEN ${failing('collection_too_large', 'g.bytes', position)} IS NULL ELSE true END FROM (SELECT ${bytes} AS bytes OFFSET 0) AS g)`;
}

/**
 * An integer that cannot be read: the one way in plain SQL to fail with a text of our own, with no function to install or to grant.
 * It names the size, so that PostgreSQL can compute it before execution only where the condition above is known as well.
 */
function failing(mark: Mark, bytes: string, position: number): string {
  return `('${mark} ' || (${bytes}) || ' at ${position}')::int`;
}

/** The size and the place that {@link failing} reported, or null where the error is another one. */
export function tooLargeIn(error: unknown): { gathered: boolean; bytes: number; position: number } | null {
  const { message } = (error ?? {}) as { message?: unknown };
  if (sqlstateOf(error) !== SQLSTATE.invalidText || typeof message !== 'string') return null;
  const found = /"(value|collection)_too_large (\d+) at (\d+)"/.exec(message);
  return found ? { gathered: found[1] === 'collection', bytes: Number(found[2]), position: Number(found[3]) } : null;
}
