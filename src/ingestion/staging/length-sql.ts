/** The most bytes of one character, in all encodings of PostgreSQL. Counting the bytes of a text does not need to read the text. */
const mostBytes = 4;

/** SQL that is true for a text of fewer than `characters` characters. */
export function isShorter(text: string, characters: number): string {
  return `(octet_length(${text}) < ${mostBytes * characters} AND char_length(${text}) < ${characters})`;
}

/** SQL that is true for a text of more than `characters` characters. */
export function isLonger(text: string, characters: number): string {
  return `(octet_length(${text}) > ${characters} AND char_length(${text}) > ${characters})`;
}
