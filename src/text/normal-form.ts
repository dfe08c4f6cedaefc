/** Marks, and the two letters that become one. */
const crowded = /[\p{M}\uff9e\uff9f]{31}/u;
const pieces = /[^\p{M}\uff9e\uff9f]*[\p{M}\uff9e\uff9f]{0,30}/gu;

/**
 * A text in a normal form of Unicode, in time that grows with its length. `String.normalize` sorts the marks of a letter in the square
 * of their number, so after thirty of them, more than any language has, it begins anew.
 * Source of the thirty: https://www.unicode.org/reports/tr15/#Stream_Safe_Text_Format
 */
export function inNormalForm(text: string, form: 'NFC' | 'NFD' | 'NFKC'): string {
  return crowded.test(text) ? text.replace(pieces, piece => piece.normalize(form)) : text.normalize(form);
}
