/**
 * Maximum bytes of one character in any encoding of PostgreSQL. The checks below compare bytes first, because `octet_length` does not have
 * to read the text.
 */
const mostBytes = 4;

/** SQL that is true for a text of fewer than `characters` characters. */
export function isShorter(text: string, characters: number): string {
  return `(octet_length(${text}) < ${mostBytes * characters} AND char_length(${text}) < ${characters})`;
}

/** SQL that is true for a text of more than `characters` characters. */
export function isLonger(text: string, characters: number): string {
  return `(octet_length(${text}) > ${characters} AND char_length(${text}) > ${characters})`;
}
