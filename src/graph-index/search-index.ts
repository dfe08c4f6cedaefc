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
  /**
   * For each normalised name or alias of a label, the label. A word that names a label ranks the label's nodes higher; a search of such
   * words alone lists the nodes of these labels.
   */
  labelNames?: ReadonlyMap<string, string>;
  /** Whether to search only displays and keys. */
  namesOnly?: boolean;
  /** If given, only nodes with at least one of these labels are found. */
  labels?: ReadonlySet<string>;
  /** If given, only nodes whose id it accepts are found. */
  isWanted?: (id: number) => boolean;
}

export interface SearchHit {
  id: number;
  /** The label that the node's key belongs to. */
  label: string;
  /** Greater is better. Scores are comparable only within one search. */
  score: number;
  /** Whether the display or the key is exactly the text that was searched for. */
  exact: boolean;
  /**
   * The share of the query terms' weight that the node's terms cover. It is less than a half only for a node whose whole name was found.
   */
  coverage: number;
}

export interface SearchResult {
  hits: SearchHit[];
  /** The number of matching nodes; `hits` is one page of them. */
  total: number;
  /** Words of the query that were replaced by other spellings: `{ from: 'Pekin', to: 'peking' }`. */
  corrections: { from: string; to: string }[];
  /** The number of words that were not searched for: those beyond the first 64. */
  unread: number;
}

/**
 * Weights of the parts of a node's score. Nodes of the same rank are ordered by whether they have a preferred label, then by whether they
 * are the first of their namesakes, then by the score of their terms.
 */
const weights = { rank: 10, preferred: 5, first: 2.5, score: 2.4 };
/** The term score for which a node gets half of `weights.score`. A greater term score approaches `weights.score`. */
const halfScore = 10;
/** The weight of a pair of CJK characters that lies across two words; a pair inside a word weighs 1. */
const acrossWords = 0.4;
/** The least share of the query terms' weight that a found node must carry. */
const leastCoverage = 0.5;
const almost = 1e-4;
/** The number of nodes that are processed between two checks of the clock, in less than a millisecond. */
const inTurn = 4_096;
/** The most terms (words, or pairs of CJK characters) of one search. Further terms are not searched for. */
export const mostTerms = 64;
/** The ranks of names that differ from the search by small spelling errors. */
const nearRanks: ReadonlySet<number> = new Set([ranks.twoEdits, ranks.corrected, ranks.oneEdit, ranks.slip]);
const searchedFields = fieldFlags.display | fieldFlags.key | fieldFlags.text;

/** The data of one search from which the scores of its nodes are computed. */
interface Asked {
  /** Whether nodes with a set of labels are preferred, by the number of the set. */
  isPreferred: readonly boolean[];
  names: NameMatches;
  /** The rank of nodes that carry all terms of the query. */
  allRank: number;
  /**
   * Whether only the first of several nodes with the same name gets `weights.first`. Its namesakes then rank behind other names that fit
   * equally well.
   */
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

  /** The bytes of scratch memory that one thread takes to search, besides the index's own arrays. */
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
   * Ranks nodes, and yields to the event loop in between. Searches of one index run one after the other, because they share its scratch
   * arrays.
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
          // `isWanted` may read a long property text, so the clock is checked before each call.
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

  /** For each term of the query, the indexed terms that may stand for it, with the weight of each. */
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

  /** Ranks the nodes whose whole name fits the search, and adds to `touched` the nodes that no term has found. */
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
    // Among names that are equally near to the search, a name that many nodes have is more likely to be meant.
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

  /**
   * If the best node's name is only spelled nearly like the search: the correction from the search's text to that name. Otherwise an empty
   * list.
   */
  private correctionOf(best: number | undefined, rank: Uint8Array, text: string): SearchResult['corrections'] {
    if (best === undefined || !nearRanks.has(rank[best]!)) return [];
    return [{ from: text.trim(), to: sortedTextAt(this.tables.names.texts, this.arrays.displayOf[best]!) }];
  }

  private isBetter(a: number, b: number, scores: Float32Array): boolean {
    // The scores are rounded before they are compared, so that the order is the same for every page.
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

  /** For each set of labels, by its number: whether it contains one of `labels`. */
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

/** Removes words that name a label from the query (`客户 华为`, `customer chop`). `rest` is the text that is left to search for. */
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
