import { allowedEdits, editDistance, letterMask, mayBeWithin } from './spelling.js';

/** A term of the index that may stand for a term of the query; weight 1 is the term itself. */
export interface TermMatch {
  term: number;
  weight: number;
  edits: number;
}

const PREFIX_LENGTHS = [2, 3, 5] as const;
const MOST_PREFIXED = 256;
const MOST_CORRECTED = 12;
const WORD = /^[a-z0-9_]+$/;
const HAS_LETTER = /[a-z]/;

/**
 * Finds words that begin like, or are spelled nearly like, a given one. Both tables are built on first use: most processes
 * serve graphs whose searches are exact.
 */
export class TermExpansion {
  private prefixes: Map<string, number[]> | null = null;
  private words: { terms: Uint32Array; masks: Uint32Array } | null = null;

  constructor(private readonly terms: string[]) {}

  /** Terms that begin with `text`, without `text` itself; at most 256, shortest first. */
  withPrefix(text: string): TermMatch[] {
    const length = PREFIX_LENGTHS.findLast(n => n <= text.length);
    if (length === undefined || !WORD.test(text)) return [];
    const bucket = this.prefixTable().get(text.slice(0, length)) ?? [];
    const found = bucket.filter(term => this.text(term).startsWith(text) && this.text(term) !== text);
    found.sort((a, b) => this.text(a).length - this.text(b).length || a - b);
    return found.slice(0, MOST_PREFIXED).map(term => ({ term, weight: 0.5 + (0.4 * text.length) / this.text(term).length, edits: 0 }));
  }

  /** Terms one or two edits away (fewer for short words), nearest first. */
  nearlySpelled(text: string): TermMatch[] {
    const limit = allowedEdits(text.length);
    if (limit === 0 || !HAS_LETTER.test(text)) return [];
    const { terms, masks } = this.wordTable();
    const mask = letterMask(text);
    const found: TermMatch[] = [];
    for (let i = 0; i < terms.length; i++) {
      if (!mayBeWithin(mask, masks[i] ?? 0, limit)) continue;
      const term = terms[i] ?? 0;
      const edits = editDistance(text, this.text(term), limit);
      if (edits > 0 && edits <= limit) found.push({ term, weight: edits === 1 ? 0.6 : 0.35, edits });
    }
    return found.sort((a, b) => a.edits - b.edits || a.term - b.term).slice(0, MOST_CORRECTED);
  }

  private text(term: number): string {
    return this.terms[term] ?? '';
  }

  private prefixTable(): Map<string, number[]> {
    if (this.prefixes) return this.prefixes;
    const table = new Map<string, number[]>();
    this.terms.forEach((text, term) => {
      if (!WORD.test(text)) return;
      for (const length of PREFIX_LENGTHS) {
        if (text.length <= length) break;
        const prefix = text.slice(0, length);
        const bucket = table.get(prefix);
        if (bucket) bucket.push(term);
        else table.set(prefix, [term]);
      }
    });
    this.prefixes = table;
    return table;
  }

  private wordTable(): { terms: Uint32Array; masks: Uint32Array } {
    if (this.words) return this.words;
    const terms = Uint32Array.from(this.terms.keys()).filter(term => HAS_LETTER.test(this.text(term)) && this.text(term).length >= 3);
    this.words = { terms, masks: terms.map(term => letterMask(this.text(term))) };
    return this.words;
  }
}
