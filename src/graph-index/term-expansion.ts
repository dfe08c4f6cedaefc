import { type Pace } from '../common/turns/pace.js';
import { editDistance } from '../text/edit-distance.js';
import { sortInTurns } from './sort-in-turns.js';
import { allowedEdits, letterMask, mayBeWithin } from './spelling.js';

/** A term of the index that may stand for a query term. Weight 1 is the term itself. */
export interface TermMatch {
  term: number;
  weight: number;
  edits: number;
}

const shortestPrefix = 2;
const mostPrefixed = 256;
/** The most terms with a prefix that are compared to find the shortest. */
const mostCompared = 20_000;
const mostCorrected = 12;
const hasLetter = /[a-z]/;

const isLatinWord = (text: string): boolean => {
  const code = text.charCodeAt(0);
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code === 95;
};

/** Finds words that begin like a given one, or are spelled nearly like it. */
export class TermExpansion {
  /** Words and codes in order, for finding beginnings. The strings are shared with the terms. */
  private readonly sorted: string[];
  private words: { terms: Uint32Array; masks: Uint32Array } | null = null;

  private constructor(
    private readonly terms: string[],
    private readonly termIds: Pick<ReadonlyMap<string, number>, 'get'>,
    sorted: string[],
  ) {
    this.sorted = sorted;
  }

  static async build(terms: string[], termIds: Pick<ReadonlyMap<string, number>, 'get'>, pace: Pace): Promise<TermExpansion> {
    const words: string[] = [];
    for (const term of terms) {
      if (pace.isDue) await pace.turn();
      if (isLatinWord(term)) words.push(term);
    }
    return new TermExpansion(terms, termIds, await sortInTurns(words, pace));
  }

  /** Terms that begin with `text`, except `text` itself: at most 256, the shortest first. */
  withPrefix(text: string): TermMatch[] {
    if (text.length < shortestPrefix || !isLatinWord(text)) return [];
    const found: string[] = [];
    for (let i = this.firstFrom(text); i < this.sorted.length && found.length < mostCompared; i++) {
      const candidate = this.sorted[i] ?? '';
      if (!candidate.startsWith(text)) break;
      if (candidate !== text) found.push(candidate);
    }
    found.sort((a, b) => a.length - b.length);
    return found
      .slice(0, mostPrefixed)
      .map(word => ({ term: this.termIds.get(word) ?? 0, weight: 0.5 + (0.4 * text.length) / word.length, edits: 0 }));
  }

  /** Terms one or two edits away (fewer for short words), the nearest first. The table is built on first use. */
  async nearlySpelled(text: string, pace: Pace): Promise<TermMatch[]> {
    const limit = allowedEdits(text.length);
    if (limit === 0 || !hasLetter.test(text)) return [];
    const { terms, masks } = await this.wordTable(pace);
    const mask = letterMask(text);
    const found: TermMatch[] = [];
    for (let i = 0; i < terms.length; i++) {
      if (pace.isDue) await pace.turn();
      if (!mayBeWithin(mask, masks[i] ?? 0, limit)) continue;
      const term = terms[i] ?? 0;
      const edits = editDistance(text, this.terms[term] ?? '', limit);
      if (edits > 0 && edits <= limit) found.push({ term, weight: edits === 1 ? 0.6 : 0.35, edits });
    }
    return found.sort((a, b) => a.edits - b.edits || a.term - b.term).slice(0, mostCorrected);
  }

  /** The index of the first sorted word that is not before `text`. */
  private firstFrom(text: string): number {
    let low = 0;
    let high = this.sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.sorted[middle] ?? '') < text) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private async wordTable(pace: Pace): Promise<{ terms: Uint32Array; masks: Uint32Array }> {
    if (this.words) return this.words;
    const terms = new Uint32Array(this.terms.length);
    const masks = new Uint32Array(this.terms.length);
    let count = 0;
    for (const [term, text] of this.terms.entries()) {
      if (pace.isDue) await pace.turn();
      if (text.length < 3 || !hasLetter.test(text)) continue;
      terms[count] = term;
      masks[count++] = letterMask(text);
    }
    return (this.words = { terms: terms.slice(0, count), masks: masks.slice(0, count) });
  }
}
