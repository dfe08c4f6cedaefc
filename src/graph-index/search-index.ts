import { Pace } from '../common/turns/pace.js';
import { BestOf } from './best-of.js';
import { type GramIndex } from './gram-index.js';
import { nameForm, nameOfNormalized } from './name-form.js';
import { matchNames, type NameMatches, type NameTables, ranks } from './name-matches.js';
import { placesInWords } from './query-pairs.js';
import { fieldFlags, type SearchArrays } from './search-arrays.js';
import { placeOfText, rangeOfPrefix, sortedTextAt, type SortedTexts } from './sorted-texts.js';
import { TermGroups } from './term-groups.js';
import { compactText, normalizeText, type QueryTerm, termsOfQuery } from './tokenize-text.js';
import { formsOf, nearlySpelled, type TermMatch } from './word-expansion.js';

export interface SearchRequest {
  text: string;
  limit: number;
  offset: number;
  /** Normalised names and aliases of labels. A word that names a label ranks its nodes higher; alone it lists them. */
  labelNames?: ReadonlyMap<string, string>;
  /** Searches displays and keys only. */
  namesOnly?: boolean;
  /** Only nodes with one of these labels are found. */
  labels?: ReadonlySet<string>;
  /** Only these nodes are found. */
  isWanted?: (id: number) => boolean;
}

export interface SearchHit {
  id: number;
  /** The label of the key. */
  label: string;
  /** Greater is better. Scores are comparable within one search only. */
  score: number;
  /** True when the display or the key is exactly what was asked for. */
  exact: boolean;
  /** The share of the query terms' weight that the node carries; less than a half only for a name that was found as a whole. */
  coverage: number;
}

export interface SearchResult {
  hits: SearchHit[];
  /** The number of matching nodes; `hits` is one page of them. */
  total: number;
  /** Words that were read as other spellings: `{ from: 'Pekin', to: 'peking' }`. */
  corrections: { from: string; to: string }[];
  /** The number of words beyond the first 64, which were not searched for. */
  unread: number;
}

/**
 * Weights in a node's score. Nodes of one rank are ordered by a preferred label, then by being the first of namesakes, then by the score of
 * the terms.
 */
const weights = { rank: 10, preferred: 5, first: 2.5, score: 2.4 };
/** A score of so much counts half of the most. */
const halfScore = 10;
/** The weight of a pair of CJK characters that lies across two words. */
const acrossWords = 0.4;
/** The least share of the query terms' weight that a node must carry. */
const leastCoverage = 0.5;
const almost = 1e-4;
/** The nodes between two looks at the clock, less than a millisecond. */
const inTurn = 4_096;
/** The most words, or pairs of CJK characters, of one search. Further ones are not searched for. */
export const mostTerms = 64;
/** The ranks of names that are spelled nearly like the search. */
const nearRanks: ReadonlySet<number> = new Set([ranks.twoEdits, ranks.corrected, ranks.oneEdit, ranks.slip]);
const searchedFields = fieldFlags.display | fieldFlags.key | fieldFlags.text;

/** Inputs for ranking the nodes of one search. */
interface Asked {
  /** By the number of a set of labels. */
  isPreferred: readonly boolean[];
  names: NameMatches;
  /** The rank of nodes that carry all terms. */
  allRank: number;
  /** Whether namesakes stand behind other names that fit as well. */
  spreads: boolean;
}

/**
 * An immutable full-text index over the nodes of one graph version. Names that fit as a whole come first (see `ranks`), then nodes by
 * their terms: BM25F (Robertson & Zaragoza 2009) with one occurrence per field, times the square of the share of the query that is covered.
 */
export class SearchIndex {
  private readonly tables: NameTables;
  private readonly terms: SortedTexts;
  private readonly words: GramIndex;
  private scratch: { groups: TermGroups; rank: Uint8Array } | null = null;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly arrays: SearchArrays) {
    const a = arrays;
    const names = { units: a.nameUnits, offsets: a.nameOffsets };
    const readings = { units: a.pinyinUnits, offsets: a.pinyinOffsets };
    this.terms = { units: a.termUnits, offsets: a.termOffsets };
    this.words = { texts: this.terms, grams: { offsets: a.wordGramOffsets, numbers: a.wordGrams } };
    this.tables = {
      names: { texts: names, grams: { offsets: a.nameGramOffsets, numbers: a.nameGrams } },
      pinyin: { texts: readings, names: { offsets: a.pinyinNameOffsets, numbers: a.pinyinNames } },
    };
  }

  get size(): number {
    return this.arrays.ids.length;
  }

  /** The bytes that one thread takes to search, besides the arrays. */
  get scratchBytes(): number {
    return this.size * 10;
  }

  /** Finds nodes whose display or key is exactly this text, apart from case, marks, spaces, punctuation and traditional characters. */
  findByName(text: string, limit: number): { id: number; label: string; by: 'display' | 'key' }[] {
    const form = nameForm(text);
    const name = form === '' ? -1 : placeOfText(this.tables.names.texts, form);
    const found = new Map<number, { id: number; label: string; by: 'display' | 'key' }>();
    for (const node of name < 0 ? [] : this.nodesOf(name)) {
      if (found.size === limit) break;
      const ordinal = node >>> 1;
      if (!found.has(ordinal)) found.set(ordinal, { ...this.node(ordinal), by: (node & 1) === 0 ? 'display' : 'key' });
    }
    return [...found.values()];
  }

  /**
   * Ranks nodes. Yields the event loop on the way. Searches of one index run one after the other, because they share its scores.
   * @throws the reason of the pace's signal
   */
  search(request: SearchRequest, pace = new Pace()): Promise<SearchResult> {
    const result = this.last.then(() => this.searchNow(request, pace));
    this.last = result.catch(() => undefined);
    return result;
  }

  private async searchNow(request: SearchRequest, pace: Pace): Promise<SearchResult> {
    const whole = normalizeText(request.text);
    const { preferred, rest } = takeLabelNames(whole, request.labelNames);
    const query = rest.trim() === '' ? (preferred.size > 0 ? '' : whole) : rest;
    const names = await matchNames(this.tables, [...new Set([whole, query].map(nameOfNormalized))], pace);
    if (query === '' && names.exact.size === 0) return this.listLabels(preferred, request, pace);
    const terms = termsOfQuery(query);
    const corrections: SearchResult['corrections'] = [];
    const { groups, rank } = (this.scratch ??= { groups: new TermGroups(this.arrays), rank: new Uint8Array(this.size) });
    const asked = await this.expandAll(query, terms.slice(0, mostTerms), corrections, pace);
    const allRank = corrections.length > 0 ? ranks.corrected : ranks.all;
    try {
      const touched = await groups.score(
        asked,
        request.namesOnly ? fieldFlags.display | fieldFlags.key : searchedFields,
        leastCoverage,
        pace,
      );
      await this.rankNames(names, rank, touched, pace);
      const best = new BestOf<number>(request.offset + request.limit, (a, b) => this.isBetter(a, b, groups.scores));
      const { isInSets, isWanted } = this.filterOf(request);
      const rankedBy: Asked = {
        isPreferred: this.setsWith(preferred),
        names,
        allRank,
        spreads: !request.namesOnly && !request.labels && !isWanted,
      };
      let total = 0;
      for (let from = 0; from < touched.length; from += inTurn) {
        if (pace.isOverdue) await pace.turn();
        for (let i = from; i < Math.min(touched.length, from + inTurn); i++) {
          const ordinal = touched[i]!;
          if (rank[ordinal] === 0 && groups.coverage[ordinal]! < leastCoverage - almost) continue;
          // Each look at a property may read a long text.
          if (isWanted && pace.isOverdue) await pace.turn();
          if (!isInSets[this.arrays.labelOf[ordinal]!] || (isWanted && !isWanted(this.arrays.ids[ordinal]!))) continue;
          total++;
          groups.scores[ordinal] = this.scoreOf(ordinal, groups, rank, rankedBy);
          best.offer(ordinal);
        }
      }
      const found = best.take();
      if (corrections.length === 0) corrections.push(...this.correctionOf(found[0], rank, request.text));
      const hits = found.slice(request.offset).map(ordinal => ({
        ...this.node(ordinal),
        score: Math.round(groups.scores[ordinal]! * 1000) / 1000,
        exact: rank[ordinal]! >= ranks.key,
        coverage: Math.round(Math.min(1, groups.coverage[ordinal]!) * 1000) / 1000,
      }));
      return { hits, total, corrections, unread: Math.max(0, terms.length - mostTerms) };
    } finally {
      groups.clear(rank);
    }
  }

  /** The terms that may stand for each of the query, with the weight of each of these. */
  private async expandAll(query: string, terms: QueryTerm[], corrections: SearchResult['corrections'], pace: Pace) {
    const inWords = placesInWords(query, text => placeOfText(this.tables.names.texts, text) >= 0);
    const asked: { matches: TermMatch[]; share: number }[] = [];
    for (const { text, kind, start } of terms) {
      if (pace.isOverdue) await pace.turn();
      if (kind === 'pair') {
        const term = placeOfText(this.terms, text);
        asked.push({ matches: term < 0 ? [] : [{ term, weight: 1 }], share: inWords.has(start) ? 1 : acrossWords });
      } else if (kind === 'character') {
        const [from, to] = rangeOfPrefix(this.terms, text);
        asked.push({ matches: Array.from({ length: to - from }, (_, i) => ({ term: from + i, weight: 1 })), share: 1 });
      } else {
        let matches = formsOf(this.terms, text);
        if (matches.length === 0) {
          matches = await nearlySpelled(this.words, text, pace);
          if (matches[0]) corrections.push({ from: text, to: sortedTextAt(this.terms, matches[0].term) });
        }
        asked.push({ matches, share: 1 });
      }
    }
    return asked;
  }

  /** Ranks the nodes whose names fit as a whole, and adds those that no term has touched. */
  private async rankNames({ byName, range }: NameMatches, rank: Uint8Array, touched: number[], pace: Pace): Promise<void> {
    const { groups } = this.scratch!;
    const offer = (node: number, value: number): void => {
      const ordinal = node >>> 1;
      if (groups.touch(ordinal)) touched.push(ordinal);
      if (value > rank[ordinal]!) rank[ordinal] = value;
    };
    const { nameNodeOffsets, nameNodes } = this.arrays;
    const [first, last] = range.map(name => nameNodeOffsets[name]!) as [number, number];
    for (let from = first; from < last; from += inTurn) {
      if (pace.isOverdue) await pace.turn();
      for (let i = from; i < Math.min(last, from + inTurn); i++) offer(nameNodes[i]!, ranks.begins);
    }
    for (const [name, value] of byName) {
      for (const node of this.nodesOf(name)) {
        if (pace.isDue) await pace.turn();
        const isKey = (node & 1) === 1;
        if (!isKey || value >= ranks.named) offer(node, isKey ? ranks.key : value);
      }
    }
  }

  private scoreOf(ordinal: number, groups: TermGroups, rank: Uint8Array, { isPreferred, names, allRank, spreads }: Asked): number {
    const coverage = groups.coverage[ordinal]!;
    const byTerms = coverage > 1 - almost ? allRank : coverage >= leastCoverage - almost ? ranks.part : 0;
    const own = Math.max(rank[ordinal]!, byTerms);
    rank[ordinal] = own;
    const name = this.arrays.displayOf[ordinal]!;
    const { nameNodeOffsets, nameNodes } = this.arrays;
    const first = nameNodeOffsets[name]!;
    const isNear = nearRanks.has(own);
    // Among equally near names, a name that many nodes have is likelier meant.
    const score =
      isNear && names.byName.has(name) ? Math.log2(1 + nameNodeOffsets[name + 1]! - first) : groups.scores[ordinal]! * coverage * coverage;
    const isFirst = spreads && own < ranks.key && own > ranks.part && nameNodes[first] === 2 * ordinal;
    return (
      own * weights.rank +
      (isPreferred[this.arrays.labelOf[ordinal]!] ? weights.preferred : 0) +
      (isFirst ? weights.first : 0) +
      (weights.score * score) / (score + halfScore)
    );
  }

  /** The whole text and the name of the best node, if that name only nearly fits the text; else empty. */
  private correctionOf(best: number | undefined, rank: Uint8Array, text: string): SearchResult['corrections'] {
    if (best === undefined || !nearRanks.has(rank[best]!)) return [];
    return [{ from: text.trim(), to: sortedTextAt(this.tables.names.texts, this.arrays.displayOf[best]!) }];
  }

  private isBetter(a: number, b: number, scores: Float32Array): boolean {
    // Rounded before they are compared, so that the order is the same for every page.
    const difference = Math.round(scores[a]! / almost) - Math.round(scores[b]! / almost);
    if (difference !== 0) return difference > 0;
    const length = this.arrays.displayLength[a]! - this.arrays.displayLength[b]!;
    return length === 0 ? a < b : length < 0;
  }

  private async listLabels(labels: ReadonlySet<string>, request: SearchRequest, pace: Pace): Promise<SearchResult> {
    const { labelOf, ids } = this.arrays;
    const { isInSets, isWanted } = this.filterOf(request);
    const isListed = this.setsWith(labels).map((isIn, set) => isIn && isInSets[set]);
    const hits: SearchHit[] = [];
    let total = 0;
    for (let ordinal = 0; ordinal < ids.length; ordinal++) {
      if (pace.isDue) await pace.turn();
      if (!isListed[labelOf[ordinal]!] || (isWanted && !isWanted(ids[ordinal]!))) continue;
      if (total >= request.offset && hits.length < request.limit) hits.push({ ...this.node(ordinal), score: 1, exact: false, coverage: 1 });
      total++;
    }
    return { hits, total, corrections: [], unread: 0 };
  }

  private filterOf({ labels, isWanted }: SearchRequest): { isInSets: boolean[]; isWanted: SearchRequest['isWanted'] } {
    return { isInSets: labels ? this.setsWith(labels) : this.arrays.labelSets.map(() => true), isWanted };
  }

  /** Whether each set of labels has one of these. */
  private setsWith(labels: ReadonlySet<string>): boolean[] {
    return this.arrays.labelSets.map(set => set.some(label => labels.has(label)));
  }

  private nodesOf(name: number): Uint32Array {
    const { nameNodeOffsets, nameNodes } = this.arrays;
    return nameNodes.subarray(nameNodeOffsets[name], nameNodeOffsets[name + 1]);
  }

  private node(ordinal: number): { id: number; label: string } {
    return { id: this.arrays.ids[ordinal]!, label: this.arrays.labelSets[this.arrays.labelOf[ordinal]!]?.[0] ?? '' };
  }
}

/** Takes words that name a label out of the query (`客户 华为`, `customer chop`). The rest is searched for. */
function takeLabelNames(normalized: string, names: ReadonlyMap<string, string> | undefined): { preferred: Set<string>; rest: string } {
  const preferred = new Set<string>();
  if (!names || names.size === 0) return { preferred, rest: normalized };
  const rest = normalized.split(/\s+/).filter(word => {
    const label = names.get(compactText(word));
    if (label !== undefined) preferred.add(label);
    return label === undefined;
  });
  return { preferred, rest: rest.join(' ') };
}
