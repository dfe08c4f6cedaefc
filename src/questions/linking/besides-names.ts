import { type Meaning } from './meaning.js';
import { type NameHints } from './name-hints.js';

/**
 * The meanings that a word of the schema keeps if a node has it as its name: none in quotes, and not the label with a capital letter where
 * a name stands.
 */
export function besidesNames(meanings: Meaning[], hints: NameHints, text: string, start: number, end: number): Meaning[] {
  if (hints.isQuoted(start, end)) return [];
  const isNamed = hints.isCapital(start) && hints.looksLikeName(start, end) && standsForName(text, start, end);
  return isNamed ? meanings.filter(({ as }) => as !== 'label') : meanings;
}

/** Whether a word at the end of a part of the question belongs to it as a name does: `orders of Product`. */
function standsForName(text: string, start: number, end: number): boolean {
  return /\b(?:of|for|from|about) $/.test(text.slice(0, start)) && /^\s*(?:$|[?？.,])/.test(text.slice(end));
}
