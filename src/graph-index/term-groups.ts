import { type Pace } from '../common/turns/pace.js';
import { fieldBits, fieldFlags, type SearchArrays } from './search-arrays.js';
import { type TermMatch } from './word-expansion.js';

const fieldWeights = { display: 3, key: 2.5, text: 1 };
const bm25K1 = 1.2;
const bm25B = 0.5;
/** Looking up one node in a sorted list of postings takes as long as reading this many postings in order. */
const lookedUp = 16;
/** The number of postings that are read between two checks of the clock, in less than a millisecond. */
const inTurn = 4_096;

interface Group {
  /** The terms of the group, the best match first. */
  matches: TermMatch[];
  weight: number;
  /** The number of postings of all matches together. */
  length: number;
}

/** The scores of nodes by the terms of one search, kept in scratch arrays that are cleared after each search. */
export class TermGroups {
  readonly scores: Float32Array;
  /** For each node, the share of the query terms' weight that it carries. */
  readonly coverage: Float32Array;
  /**
   * For each node, the number of the last group of terms that found it; 255 for a node without any of the terms, 0 for an untouched node.
   */
  private readonly seen: Uint8Array;
  private touched: number[] = [];
  /** The divisor of a display's weight in BM25, by the number of terms in the display. */
  private readonly lengths: Float64Array;

  constructor(private readonly arrays: SearchArrays) {
    const count = arrays.ids.length;
    this.lengths = Float64Array.from({ length: 256 }, (_, length) => 1 - bm25B + (bm25B * length) / arrays.averageLength);
    this.scores = new Float32Array(count);
    this.coverage = new Float32Array(count);
    this.seen = new Uint8Array(count);
  }

  /**
   * Scores the nodes that may carry at least the share `least` of the query's weight. The rarest terms find these nodes; the postings of
   * the other terms are only looked up for them.
   * @param asked for each term of the query (at most 254): the indexed terms that may stand for it, and the share of its weight that counts
   * @returns the ordinals of the nodes, to which the caller may add others
   */
  async score(asked: { matches: TermMatch[]; share: number }[], fields: number, least: number, pace: Pace): Promise<number[]> {
    this.touched = [];
    const groups = this.weigh(asked);
    const most = groups.reduce((sum, { weight }) => sum + weight, 0);
    let left = most;
    let mark = 0;
    for (const group of groups.sort((a, b) => a.length - b.length)) {
      mark++;
      // `left` is the greatest weight of a node that no earlier group has found. If it is below the least weight, this group adds no new
      // nodes.
      const isEnough = left >= least * most * (1 - 1e-6);
      left -= group.weight;
      const lookUps = this.touched.length * group.matches.length * lookedUp;
      for (const match of group.matches) {
        if (!isEnough && lookUps < group.length) await this.lookUp(match, group.weight / most, fields, mark, pace);
        else await this.read(match, group.weight / most, fields, mark, isEnough, pace);
      }
    }
    return this.touched;
  }

  /** Marks a node that no term has found, so that it is cleared with the others. False if the node is already marked. */
  touch(ordinal: number): boolean {
    if (this.seen[ordinal] !== 0) return false;
    this.seen[ordinal] = 255;
    return true;
  }

  /** Clears the scores of the last search for the nodes it touched, here and in `further`, an array by ordinal. */
  clear(further: Uint8Array): void {
    for (const ordinal of this.touched) {
      this.scores[ordinal] = 0;
      this.coverage[ordinal] = 0;
      this.seen[ordinal] = 0;
      further[ordinal] = 0;
    }
    this.touched = [];
  }

  private async read(match: TermMatch, share: number, fields: number, mark: number, adds: boolean, pace: Pace): Promise<void> {
    const [from, to] = [this.arrays.postingOffsets[match.term]!, this.arrays.postingOffsets[match.term + 1]!];
    const most = match.weight * this.idfOf(to - from);
    for (let start = from; start < to; start += inTurn) {
      if (pace.isOverdue) await pace.turn();
      this.readSome(start, Math.min(to, start + inTurn), most, share, fields, mark, adds);
    }
  }

  private readSome(from: number, to: number, most: number, share: number, fields: number, mark: number, adds: boolean): void {
    const { postings } = this.arrays;
    const { seen, touched } = this;
    for (let i = from; i < to; i++) {
      const posting = postings[i]!;
      const ordinal = posting >>> fieldBits;
      const last = seen[ordinal]!;
      if (last === mark || (posting & fields) === 0 || (last === 0 && !adds)) continue;
      if (last === 0) touched.push(ordinal);
      this.add(posting, fields, most, share, mark);
    }
  }

  private async lookUp({ term, weight }: TermMatch, share: number, fields: number, mark: number, pace: Pace): Promise<void> {
    const { postingOffsets, postings } = this.arrays;
    const [from, to] = [postingOffsets[term]!, postingOffsets[term + 1]!];
    const most = weight * this.idfOf(to - from);
    for (const ordinal of this.touched) {
      if (pace.isDue) await pace.turn();
      if (this.seen[ordinal] === mark) continue;
      let [low, high] = [from, to];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (postings[middle]! >>> fieldBits < ordinal) low = middle + 1;
        else high = middle;
      }
      if (low < to && postings[low]! >>> fieldBits === ordinal && (postings[low]! & fields) !== 0)
        this.add(postings[low]!, fields, most, share, mark);
    }
  }

  private add(posting: number, fields: number, most: number, share: number, mark: number): void {
    const ordinal = posting >>> fieldBits;
    this.seen[ordinal] = mark;
    let frequency = 0;
    if (posting & fieldFlags.display) frequency += fieldWeights.display / this.lengths[this.arrays.displayLength[ordinal]!]!;
    if (posting & fieldFlags.key) frequency += fieldWeights.key;
    if (posting & fields & fieldFlags.text) frequency += fieldWeights.text;
    this.scores[ordinal]! += (most * frequency * (bm25K1 + 1)) / (frequency + bm25K1);
    this.coverage[ordinal]! += share;
  }

  /**
   * Weighs the groups of terms. A term that no node carries gets the average weight of the others, so that the missing term lowers the
   * coverage of all nodes.
   */
  private weigh(asked: { matches: TermMatch[]; share: number }[]): Group[] {
    const { postingOffsets } = this.arrays;
    const lengthOf = ({ term }: TermMatch): number => postingOffsets[term + 1]! - postingOffsets[term]!;
    const known = asked.map(({ matches }) => (matches[0] ? this.idfOf(lengthOf(matches[0])) : null));
    const carried = known.filter(weight => weight !== null);
    const average = carried.length === 0 ? 1 : carried.reduce((sum, weight) => sum + weight, 0) / carried.length;
    return asked.map(({ matches, share }, i) => ({
      matches,
      weight: share * (known[i] ?? average),
      length: matches.reduce((sum, match) => sum + lengthOf(match), 0),
    }));
  }

  private idfOf(documents: number): number {
    return Math.log(1 + (this.arrays.ids.length - documents + 0.5) / (documents + 0.5)) + 0.1;
  }
}
