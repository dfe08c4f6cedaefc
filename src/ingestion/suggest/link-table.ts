import { type KnownTable } from './know-tables.js';

/**
 * Whether the rows of a table only link the rows of two tables. Such a table has two references and no third foreign key, its key contains
 * the columns of both references, and no table refers to it.
 */
export function isLinkTable(table: KnownTable, all: KnownTable[]): boolean {
  const { key, references, foreignKeys } = table;
  const [first, second] = references;
  if (!first || !second || references.length > 2 || foreignKeys.length > 2) return false;
  if (all.some(other => other.references.some(reference => reference.table === table.name) || refersTo(other, table))) return false;
  if (references.some(reference => reference.table === table.name)) return false;
  return (
    key !== null &&
    references.every(({ columns }) => columns.every(column => key.columns.includes(column))) &&
    areApart(first.columns, second.columns)
  );
}

/**
 * True if each of two foreign keys has a column that the other key lacks. If one key contains the other, the larger key alone determines
 * both nodes.
 */
function areApart(a: string[], b: string[]): boolean {
  return a.some(column => !b.includes(column)) && b.some(column => !a.includes(column));
}

function refersTo({ foreignKeys }: KnownTable, { name }: KnownTable): boolean {
  return foreignKeys.some(({ table }) => table === name);
}
