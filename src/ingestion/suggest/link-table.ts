import { type KnownTable } from './know-tables.js';

/**
 * Tells whether the rows of a table only link two others: it has two references and no third foreign key, its key holds the columns
 * of both, and nothing refers to it.
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

/** One foreign key within the other leaves nothing that only it says. */
function areApart(a: string[], b: string[]): boolean {
  return a.some(column => !b.includes(column)) && b.some(column => !a.includes(column));
}

function refersTo({ foreignKeys }: KnownTable, { name }: KnownTable): boolean {
  return foreignKeys.some(({ table }) => table === name);
}
