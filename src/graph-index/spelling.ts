/** The least letters of a word that is corrected: a shorter word is too easily another word. */
const shortestCorrected = 4;

/** The number of edits that a word of this length may be away from the intended one: none, 1, or 2 from eight letters on. */
export function allowedEdits(length: number): 0 | 1 | 2 {
  if (length < shortestCorrected) return 0;
  return length < 8 ? 1 : 2;
}
