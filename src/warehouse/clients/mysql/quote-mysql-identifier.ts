/** A name as MySQL's SQL has it, in any SQL mode. */
export function quoteMysqlIdentifier(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}
