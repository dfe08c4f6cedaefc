/** Minimum letters of a word that is corrected. A misspelled shorter word is too often another correct word. */
const shortestCorrected = 4;

/** The number of edits by which a word of this length may differ from the intended word: none, 1, or 2 from eight letters on. */
export function allowedEdits(length: number): 0 | 1 | 2 {
  if (length < shortestCorrected) return 0;
  return length < 8 ? 1 : 2;
}
