import { type Meaning } from './meaning.js';
import { type NameHints } from './name-hints.js';

/**
 * The meanings of a schema word that remain although a node has the word as its name. In quotes none remains. If the word has a capital
 * letter and stands where a name usually stands, its meaning as a label is removed.
 */
export function besidesNames(meanings: Meaning[], hints: NameHints, text: string, start: number, end: number): Meaning[] {
  if (hints.isQuoted(start, end)) return [];
  const isNamed = hints.isCapital(start) && hints.looksLikeName(start, end) && standsForName(text, start, end);
  return isNamed ? meanings.filter(({ as }) => as !== 'label') : meanings;
}

/**
 * Whether a word stands where a name usually stands: after `of`, `for`, `from` or `about`, at the end of a clause, as in `orders of
 * Product`.
 */
function standsForName(text: string, start: number, end: number): boolean {
  return /\b(?:of|for|from|about) $/.test(text.slice(0, start)) && /^\s*(?:$|[?？.,])/.test(text.slice(end));
}
