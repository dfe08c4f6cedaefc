/** The only way in which a name becomes part of an SQL text: `weird "name"` becomes `"weird ""name"""`. */
export function quoteIdentifier(name: string): string {
  if (name === '' || name.includes('\0')) throw new Error('An identifier must be non-empty and free of NUL');
  return `"${name.replaceAll('"', '""')}"`;
}

/** The quoted name of a table with its schema: `"schema"."table"`. */
export function quoteTable(schema: string, table: string): string {
  return `${quoteIdentifier(schema)}.${quoteIdentifier(table)}`;
}

/** Maximum bytes of a name in UTF-8, which is 21 Chinese characters. PostgreSQL and its parser cut a longer name. */
export const longestIdentifierBytes = 63;

/** Whether PostgreSQL keeps a name as it is. It cuts a longer name silently, so that the name may mean another column. */
export function fitsIdentifier(name: string): boolean {
  return Buffer.byteLength(name) <= longestIdentifierBytes;
}

const systemColumns = new Set(['ctid', 'xmin', 'cmin', 'xmax', 'cmax', 'tableoid']);

/** Whether a name belongs to a system column. Every table of PostgreSQL has these, so no other column can have the name. */
export function isSystemColumn(name: string): boolean {
  return systemColumns.has(name);
}

/** The order in which readers and writers lock several tables, so that no two of them wait for each other. @param names quoted names */
export function inLockOrder(names: readonly string[]): string[] {
  return [...names].sort();
}
