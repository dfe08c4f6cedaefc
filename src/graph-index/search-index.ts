import { Pace } from '../common/turns/pace.js';
import { hashName } from './fnv.js';
import { fieldFlags, fieldBits, type IndexParts } from './index-format.js';
import { NameTable } from './name-table.js';
import { BestOf } from './best-of.js';
import { TermExpansion, type TermMatch } from './term-expansion.js';
import { compactText, normalizeText, termsOfQuery } from './tokenize-text.js';

export interface SearchRequest {
  text: string;
  limit: number;
  offset: number;
  /** Normalised names and aliases of labels. A word that names a label ranks its nodes higher; alone it lists them. */
  labelNames?: ReadonlyMap<string, string>;
  /** Searches displays and keys only. */
  namesOnly?: boolean;
}

export interface SearchHit {
  id: number;
  /** The label of the key. */
  label: string;
  /** Greater is better. Scores are comparable within one search only. */
  score: number;
  /** True when the display or the key is exactly what was asked for. */
  exact: boolean;
  /** The share of the query terms' weight that the node carries, 0.5 to 1. */
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

const fieldWeights = { display: 3, key: 2.5, text: 1 };
const bm25K1 = 1.2;
const bm25B = 0.5;
/** The least share of the query terms' weight that a node must carry. */
const leastCoverage = 0.5;
const bytesPerTerm = 96;
/** The most words, or pairs of CJK characters, of one search. Further ones are not searched for. */
export const mostTerms = 64;

/**
 * An immutable full-text index over the nodes of one graph version. A score is BM25F (Robertson & Zaragoza 2009) with one
 * occurrence per field, times the share of the query that is covered. Matches of a whole name or its beginning come first.
 */
export class SearchIndex {
  private readonly scores: Float32Array;
  private readonly coverage: Float32Array;
  private readonly groupSeen: Uint8Array;
  private last: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly parts: IndexParts,
    private readonly expansion: TermExpansion,
    private readonly displays: NameTable,
    private readonly keys: NameTable,
    private readonly averageLength: number,
  ) {
    this.scores = new Float32Array(this.size);
    this.coverage = new Float32Array(this.size);
    this.groupSeen = new Uint8Array(this.size);
  }

  static async build(parts: IndexParts, pace: Pace): Promise<SearchIndex> {
    const expansion = await TermExpansion.build(parts.terms, parts.termIds, pace);
    const displays = await NameTable.build(parts.displayHashes, pace);
    const keys = await NameTable.build(parts.keyHashes, pace);
    let length = 0;
    for (const each of parts.displayLength) {
      if (pace.isDue) await pace.turn();
      length += each;
    }
    return new SearchIndex(parts, expansion, displays, keys, Math.max(1, length / Math.max(1, parts.ids.length)));
  }

  get size(): number {
    return this.parts.ids.length;
  }

  /** Estimated memory, for the budget of loaded graphs. */
  get bytes(): number {
    const { offsets, postings, terms } = this.parts;
    const perNode = 8 + 4 * 7 + 4 + 4 + 1;
    return (
      offsets.byteLength + postings.byteLength + terms.length * bytesPerTerm + this.size * perNode + this.displays.bytes + this.keys.bytes
    );
  }

  /** Finds nodes whose display or key is exactly this text, apart from case, marks, spaces and punctuation. */
  findByName(text: string, limit: number): { id: number; label: string; by: 'display' | 'key' }[] {
    const name = compactText(normalizeText(text));
    if (name === '') return [];
    const found = this.displays.find(name, limit).map(ordinal => ({ ...this.node(ordinal), by: 'display' as const }));
    const seen = new Set(found.map(node => node.id));
    const byKey = this.keys.find(name, limit).map(ordinal => ({ ...this.node(ordinal), by: 'key' as const }));
    return [...found, ...byKey.filter(node => !seen.has(node.id))].slice(0, limit);
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
    const normalized = normalizeText(request.text);
    const corrections: { from: string; to: string }[] = [];
    const { preferred, rest } = takeLabelNames(normalized, request.labelNames);
    const query = rest.trim() === '' ? (preferred.size > 0 ? '' : normalized) : rest;
    if (query === '') return this.listLabels(preferred, request, pace);
    const groups: TermMatch[][] = [];
    const terms = termsOfQuery(query);
    for (const term of terms.slice(0, mostTerms)) groups.push(await this.expand(term, corrections, pace));
    const weights = this.weightsOf(groups);
    const most = weights.reduce((sum, weight) => sum + weight, 0);
    const fields = request.namesOnly ? fieldFlags.display | fieldFlags.key : fieldFlags.display | fieldFlags.key | fieldFlags.text;
    const touched: number[] = [];
    try {
      for (const [i, group] of groups.entries()) await this.addGroup(group, weights[i] ?? 0, fields, (i % 255) + 1, touched, pace);
      const nameHash = hashName(compactText(query));
      const firstTerm = groups[0]?.[0]?.term;
      const best = new BestOf<number>(request.offset + request.limit, (a, b) => this.isBetter(a, b));
      let total = 0;
      for (const ordinal of touched) {
        if (pace.isDue) await pace.turn();
        const covered = (this.coverage[ordinal] ?? 0) / most;
        if (covered < leastCoverage - 1e-6) continue;
        total++;
        const base = (this.scores[ordinal] ?? 0) * covered * covered;
        this.scores[ordinal] =
          base +
          this.boost(ordinal, covered, most, nameHash, firstTerm) +
          (this.labels(ordinal).some(label => preferred.has(label)) ? most * 2 : 0);
        best.offer(ordinal);
      }
      const hits = best
        .take()
        .slice(request.offset)
        .map(ordinal => ({
          ...this.node(ordinal),
          score: round(this.scores[ordinal] ?? 0),
          exact: this.isNamed(ordinal, nameHash),
          coverage: round((this.coverage[ordinal] ?? 0) / most),
        }));
      return { hits, total, corrections, unread: Math.max(0, terms.length - mostTerms) };
    } finally {
      for (const ordinal of touched) {
        this.scores[ordinal] = 0;
        this.coverage[ordinal] = 0;
        this.groupSeen[ordinal] = 0;
      }
    }
  }

  private async expand(
    asked: { text: string; kind: 'cjk' | 'word' },
    corrections: { from: string; to: string }[],
    pace: Pace,
  ): Promise<TermMatch[]> {
    const exact = this.parts.termIds.get(asked.text);
    const matches: TermMatch[] = exact === undefined ? [] : [{ term: exact, weight: 1, edits: 0 }];
    if (asked.kind === 'cjk') return matches;
    if (pace.isOverdue) await pace.turn();
    matches.push(...this.expansion.withPrefix(asked.text));
    if (matches.length > 0) return matches;
    const corrected = await this.expansion.nearlySpelled(asked.text, pace);
    const nearest = corrected[0];
    if (nearest) corrections.push({ from: asked.text, to: this.parts.terms[nearest.term] ?? '' });
    return corrected;
  }

  /** Adds each node's best match within one query term; `mark` is 1…255. */
  private async addGroup(group: TermMatch[], asked: number, fields: number, mark: number, touched: number[], pace: Pace): Promise<void> {
    const { offsets, postings, displayLength } = this.parts;
    for (const match of group) {
      const from = offsets[match.term] ?? 0;
      const to = offsets[match.term + 1] ?? 0;
      const idf = this.idfOf(to - from);
      for (let i = from; i < to; i++) {
        if (pace.isDue) await pace.turn();
        const posting = postings[i] ?? 0;
        const ordinal = posting >>> fieldBits;
        if (this.groupSeen[ordinal] === mark || (posting & fields) === 0) continue;
        if (this.coverage[ordinal] === 0) touched.push(ordinal);
        this.groupSeen[ordinal] = mark;
        const length = 1 - bm25B + (bm25B * (displayLength[ordinal] ?? 0)) / this.averageLength;
        let frequency = 0;
        if (posting & fieldFlags.display) frequency += fieldWeights.display / length;
        if (posting & fieldFlags.key) frequency += fieldWeights.key;
        if (posting & fields & fieldFlags.text) frequency += fieldWeights.text;
        this.scores[ordinal] = (this.scores[ordinal] ?? 0) + (match.weight * idf * frequency * (bm25K1 + 1)) / (frequency + bm25K1);
        this.coverage[ordinal] = (this.coverage[ordinal] ?? 0) + asked;
      }
    }
  }

  /** The weight of each query term. A term that no node carries weighs as much as the others on average, so that missing it costs. */
  private weightsOf(groups: TermMatch[][]): number[] {
    const { offsets } = this.parts;
    const known = groups.map(([first]) => (first ? this.idfOf((offsets[first.term + 1] ?? 0) - (offsets[first.term] ?? 0)) : null));
    const carried = known.filter(weight => weight !== null);
    const average = carried.length === 0 ? 1 : carried.reduce((sum, weight) => sum + weight, 0) / carried.length;
    return known.map(weight => weight ?? average);
  }

  private idfOf(documents: number): number {
    return Math.log(1 + (this.size - documents + 0.5) / (documents + 0.5)) + 0.1;
  }

  private boost(ordinal: number, covered: number, most: number, name: [number, number], firstTerm: number | undefined): number {
    if (this.isNamed(ordinal, name)) return most * 6;
    const beginsAlike =
      covered > 0.999 && firstTerm !== undefined && this.parts.firstTerm[ordinal] !== undefined && this.beginsWith(ordinal, firstTerm);
    return beginsAlike ? most : 0;
  }

  /** The first term of a display is its first character, while CJK queries consist of pairs. So this compares texts, not term numbers. */
  private beginsWith(ordinal: number, term: number): boolean {
    const first = this.parts.firstTerm[ordinal] ?? 0;
    return first === term || (this.parts.terms[term] ?? '').startsWith(this.parts.terms[first] ?? '\0');
  }

  private isNamed(ordinal: number, [a, b]: [number, number]): boolean {
    const { displayHashes, keyHashes } = this.parts;
    return (
      (displayHashes[0][ordinal] === a && displayHashes[1][ordinal] === b) || (keyHashes[0][ordinal] === a && keyHashes[1][ordinal] === b)
    );
  }

  private isBetter(a: number, b: number): boolean {
    const difference = (this.scores[a] ?? 0) - (this.scores[b] ?? 0);
    if (Math.abs(difference) > 1e-6) return difference > 0;
    const length = (this.parts.displayLength[a] ?? 0) - (this.parts.displayLength[b] ?? 0);
    return length === 0 ? a < b : length < 0;
  }

  private async listLabels(labels: ReadonlySet<string>, request: SearchRequest, pace: Pace): Promise<SearchResult> {
    const wanted = new Set(this.parts.labels.flatMap((set, i) => (set.some(label => labels.has(label)) ? [i] : [])));
    const hits: SearchHit[] = [];
    let total = 0;
    for (const [ordinal, label] of this.parts.labelOf.entries()) {
      if (pace.isDue) await pace.turn();
      if (!wanted.has(label)) continue;
      if (total >= request.offset && hits.length < request.limit) hits.push({ ...this.node(ordinal), score: 1, exact: false, coverage: 1 });
      total++;
    }
    return { hits, total, corrections: [], unread: 0 };
  }

  private labels(ordinal: number): string[] {
    return this.parts.labels[this.parts.labelOf[ordinal] ?? 0] ?? [];
  }

  private node(ordinal: number): { id: number; label: string } {
    return { id: this.parts.ids[ordinal] ?? 0, label: this.labels(ordinal)[0] ?? '' };
  }
}

const round = (score: number): number => Math.round(score * 1000) / 1000;

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
