/** Writes a text as a literal of DuckDB, whose only escape is the doubled quote. */
export function quoteLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
