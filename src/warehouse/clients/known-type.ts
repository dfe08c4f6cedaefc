import { type TableColumn } from './warehouse.client.js';

/**
 * Types of PostgreSQL as a client may name them. The name becomes part of a CREATE TABLE, and its server may be anybody's, so words
 * that would add a default or a constraint do not fit.
 */
const knownType =
  /^("char"|double precision|bit varying|[a-z_][a-z0-9_]*|interval (year|month|day|hour|minute|second)( to (month|hour|minute|second))?)(\(\d{1,8}(, ?-?\d{1,8})?\))?( with(out)? time zone)?(\[\])*$/;

/** A column whose type is not written in such a form cannot be read. */
export function withKnownType(column: TableColumn): TableColumn {
  return knownType.test(column.type) ? column : { ...column, type: 'other' };
}
