/** Quotes a name for MySQL; the result is valid in any SQL mode. */
export function quoteMysqlIdentifier(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}
