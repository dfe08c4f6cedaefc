import { type TableColumn } from './warehouse.client.js';

/**
 * Matches the names of PostgreSQL types that a client may report. A foreign server chooses the name, and the name becomes part of a CREATE
 * TABLE. The pattern therefore allows no words that would add a default or a constraint.
 */
const knownType =
  /^("char"|double precision|bit varying|[a-z_][a-z0-9_]*|interval (year|month|day|hour|minute|second)( to (month|hour|minute|second))?)(\(\d{1,8}(, ?-?\d{1,8})?\))?( with(out)? time zone)?(\[\])*$/;

/** Gives a column the type `other` if its type does not match `knownType`; such a column cannot be read. */
export function withKnownType(column: TableColumn): TableColumn {
  return knownType.test(column.type) ? column : { ...column, type: 'other' };
}
