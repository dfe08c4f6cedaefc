/** Matches 31 combining marks in a row, including U+FF9E and U+FF9F, two letters that NFKC turns into marks. */
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
