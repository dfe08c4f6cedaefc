/**
 * Whether a character is a combining mark in one of the normal forms. NFKC turns two letters into marks: U+FF9E and U+FF9F.
 * @param character one code point
 */
export function isMark(character: string): boolean {
  return /^[\p{M}\uff9e\uff9f]$/u.test(character);
}

/** Matches 31 characters of `isMark` in a row. */
const crowded = /[\p{M}\uff9e\uff9f]{31}/u;
const pieces = /[^\p{M}\uff9e\uff9f]*[\p{M}\uff9e\uff9f]{0,30}/gu;

/**
 * A text in a normal form of Unicode, in time that grows linearly with its length. `String.normalize` sorts the marks of a letter in time
 * that grows with the square of their number, so the text is cut behind thirty marks, more than any language has, and each piece is
 * normalised alone.
 * Source of the thirty: https://www.unicode.org/reports/tr15/#Stream_Safe_Text_Format
 */
export function inNormalForm(text: string, form: 'NFC' | 'NFD' | 'NFKC'): string {
  return crowded.test(text) ? text.replace(pieces, piece => piece.normalize(form)) : text.normalize(form);
}
