/** The only way in which a name becomes part of an SQL text: `weird "name"` becomes `"weird ""name"""`. */
export function quoteIdentifier(name: string): string {
  if (name === '' || name.includes('\0')) throw new Error('An identifier must be non-empty and free of NUL');
  return `"${name.replaceAll('"', '""')}"`;
}

/** The quoted name of a table with its schema: `"schema"."table"`. */
export function quoteTable(schema: string, table: string): string {
  return `${quoteIdentifier(schema)}.${quoteIdentifier(table)}`;
}
