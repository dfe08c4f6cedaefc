/** ClickHouse reads backslashes in quoted names as escapes. */
export function quoteName(name: string): string {
  return `\`${name.replace(/[\\`]/g, '\\$&')}\``;
}

/** A text inside of a statement. Values of users go as parameters; this is for constants such as the names of types. */
export function quoteText(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
