/** Quotes a name for ClickHouse, which reads backslashes in quoted names as escapes. */
export function quoteName(name: string): string {
  return `\`${name.replace(/[\\`]/g, '\\$&')}\``;
}

/** Quotes a text as a literal of ClickHouse. Only constants such as type names are quoted; values of users are sent as parameters. */
export function quoteText(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
