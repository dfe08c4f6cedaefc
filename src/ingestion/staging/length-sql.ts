/** A character has at most four bytes, in each encoding of PostgreSQL. Counting bytes takes no look at the text. */
const mostBytes = 4;

/** SQL that is true for a text of fewer characters. */
export function isShorter(text: string, characters: number): string {
  return `(octet_length(${text}) < ${mostBytes * characters} AND char_length(${text}) < ${characters})`;
}

/** SQL that is true for a text of more characters. */
export function isLonger(text: string, characters: number): string {
  return `(octet_length(${text}) > ${characters} AND char_length(${text}) > ${characters})`;
}
