import { stemmer } from 'stemmer';
import { type Pace } from '../common/turns/pace.js';
import { BestOf } from './best-of.js';
import { type GramIndex, textsNear } from './gram-index.js';
import { lengthAt, placeOfText, rangeOfPrefix, sortedTextAt, type SortedTexts } from './sorted-texts.js';
import { allowedEdits } from './spelling.js';

/** A term of the index that may stand for a query term. `weight` is 1 if it is the query term itself. */
export interface TermMatch {
  term: number;
  weight: number;
}

const shortestPrefix = 2;
const mostPrefixed = 256;
/** The most terms with one prefix that are examined, as words with this prefix or as other forms of a word. */
const mostCompared = 20_000;
const mostStemmed = 512;
const mostCorrected = 12;
/** The most letters by which an ending may make a word longer than another word with the same stem. */
const longestEnding = 4;
const isLatinWord = /^[a-z0-9_]/;
const isEnglishWord = /^[a-z]{3,}$/;

/** Terms that may stand for a word, the best first: the word itself, its other forms, and the 256 shortest words that begin with it. */
export function formsOf(terms: SortedTexts, text: string): TermMatch[] {
  const weights = new Map<number, number>();
  const own = placeOfText(terms, text);
  if (own >= 0) weights.set(own, 1);
  for (const term of withStem(terms, text)) if (!weights.has(term)) weights.set(term, 0.95);
  for (const term of withPrefix(terms, text)) if (!weights.has(term)) weights.set(term, 0.5 + (0.4 * text.length) / lengthAt(terms, term));
  return [...weights].map(([term, weight]) => ({ term, weight })).sort((a, b) => b.weight - a.weight || a.term - b.term);
}

/** Terms at one or two edits from a word (fewer for short words), the nearest first. */
export async function nearlySpelled(words: GramIndex, text: string, pace: Pace): Promise<TermMatch[]> {
  const edits = allowedEdits(text.length);
  if (edits === 0 || !/[a-z]/.test(text)) return [];
  const near = [...(await textsNear(words, text, edits, pace))].sort(([a, x], [b, y]) => x - y || a - b);
  return near.slice(0, mostCorrected).map(([term, away]) => ({ term, weight: away === 1 ? 0.6 : 0.35 }));
}

function withPrefix(terms: SortedTexts, text: string): number[] {
  if (text.length < shortestPrefix || !isLatinWord.test(text)) return [];
  const [from, to] = rangeOfPrefix(terms, text);
  const shortest = new BestOf<number>(mostPrefixed, (a, b) => (lengthAt(terms, a) - lengthAt(terms, b) || a - b) < 0);
  for (let term = from; term < to && term - from < mostCompared; term++) shortest.offer(term);
  return shortest.take();
}

function withStem(terms: SortedTexts, text: string): number[] {
  if (!isEnglishWord.test(text)) return [];
  const stem = stemmer(text);
  // The stem of `companies` ends in i, but `company` does not begin with this stem.
  const beginning = stem.endsWith('i') ? stem.slice(0, -1) : stem;
  if (beginning.length < shortestPrefix) return [];
  const [from, to] = rangeOfPrefix(terms, beginning);
  const found: number[] = [];
  for (let term = from, stemmed = 0; term < to && term - from < mostCompared && stemmed < mostStemmed; term++) {
    if (lengthAt(terms, term) > stem.length + longestEnding) continue;
    const word = sortedTextAt(terms, term);
    if (!isEnglishWord.test(word)) continue;
    stemmed++;
    if (stemmer(word) === stem) found.push(term);
  }
  return found;
}
