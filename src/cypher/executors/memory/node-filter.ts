import { type Work } from './work.js';

/** Nodes that are tested between two pauses. The work units alone would not pause, because some tests spend none. */
const placesBetweenPauses = 8_192;
/** Nodes between two pauses of a pass over columns, which takes a millisecond at most for so many. */
const columnPlacesBetweenPauses = 65_536;
/** A filter with more conditions is not evaluated inside a walk, because a walk cannot pause at an edge. */
const mostAskedInWalks = 2;

/** One condition on a node. It never throws. */
export interface NodeTest {
  holds(place: number): boolean;
  /** Whether `holds` only compares numbers and evaluates no expression. */
  isQuick: boolean;
  /** The results for all nodes; null if the condition is not on a column of numbers or of few texts. */
  column: ColumnAnswers | null;
  /** The number of slow values (times, lists, maps) that are read until all results are known; 0 if the values are quick to read. */
  slowReads: number;
}

/** Results of a condition on a column. */
export interface ColumnAnswers {
  /** For each text without a known result, the place of one node that has it. Only nodes whose set of labels fits count. */
  unasked(sets: Uint8Array): Iterable<number>;
  /**
   * Sets 2 in `known` at each place from `from` to `to` - 1 where the condition is not true. Call it when `unasked` yields nothing more.
   */
  ruleOut(known: Uint8Array, from: number, to: number): void;
}

/** The first so many results are not stored: a query that tests only a few nodes needs no array for all nodes. */
const mostUnnoted = 64;

/** Finds which nodes fit a node of a pattern. */
export class NodeFilter {
  /** By place: 0 not tested yet, 1 the node fits, 2 it does not fit. Null until the first result is stored. */
  private known: Uint8Array | null = null;
  private unnoted = mostUnnoted;
  private knowsAll = false;

  /** @param sets 1 for each set of labels that fits, by the index of the set; else 0 */
  constructor(
    private readonly nodeSets: Uint32Array,
    private readonly sets: Uint8Array,
    private readonly tests: readonly NodeTest[],
  ) {}

  fits(place: number): boolean {
    if (this.tests.length === 0) return this.sets[this.nodeSets[place]!] === 1;
    const known = this.known === null ? 0 : this.known[place]!;
    return known === 0 ? this.ask(place) : known === 1;
  }

  /** By place: 1 if the node fits, else 0. Null if some nodes are not tested yet. */
  mask(): Uint8Array | null {
    const { known, nodeSets, sets } = this;
    const mask = new Uint8Array(nodeSets.length);
    if (this.tests.length === 0) for (let place = 0; place < mask.length; place++) mask[place] = sets[nodeSets[place]!]!;
    else if (this.knowsAll) for (let place = 0; place < mask.length; place++) mask[place] = known![place]! & 1;
    else return null;
    return mask;
  }

  /** A filter for the nodes that fit both filters. */
  and(other: NodeFilter | null): NodeFilter {
    if (!other) return this;
    const sets = this.sets.map((fits, set) => fits & other.sets[set]!);
    const both = new NodeFilter(this.nodeSets, sets, [...this.tests, ...other.tests]);
    if (this.knowsAll && other.knowsAll) {
      both.known = this.known!.map((known, place) => Math.max(known, other.known![place]!));
      both.knowsAll = true;
    }
    return both;
  }

  get slowReads(): number {
    return this.tests.reduce((sum, test) => sum + test.slowReads, 0);
  }

  /**
   * Whether a walk may evaluate the filter at each edge: all results are known, or it has few conditions, each of which compares numbers.
   */
  get isQuick(): boolean {
    return this.knowsAll || (this.tests.length <= mostAskedInWalks && this.tests.every(({ isQuick }) => isQuick));
  }

  /** Whether each condition is on a column of numbers or of few texts, so that testing all nodes is quick. */
  get readsColumns(): boolean {
    return this.tests.every(({ column }) => column !== null);
  }

  /** Tests all nodes and stores the results. Yields where the query may pause. */
  *askOfAll(work: Work): Generator<null, void> {
    const { sets, nodeSets, tests } = this;
    if (tests.length === 0) return;
    if (this.readsColumns) {
      const columns = tests.map(({ column }) => column!);
      for (const [i, test] of tests.entries())
        for (const place of columns[i]!.unasked(sets)) {
          test.holds(place);
          if (work.isDue) yield null;
        }
      const known = (this.known = new Uint8Array(nodeSets.length));
      for (let from = 0; from < known.length; from += columnPlacesBetweenPauses) {
        const to = Math.min(known.length, from + columnPlacesBetweenPauses);
        for (let place = from; place < to; place++) known[place] = sets[nodeSets[place]!] === 1 ? 1 : 2;
        yield null;
        for (const column of columns) {
          column.ruleOut(known, from, to);
          work.spend((to - from) >> 2);
          if (work.isDue) yield null;
        }
      }
    } else yield* this.askOf(nodeSets.keys(), work);
    this.knowsAll = true;
  }

  /**
   * Tests nodes in advance and stores the results, so that a walk, which cannot pause, only reads them. Yields where the query may pause.
   * @param places the places of the nodes; null where the query may pause
   */
  *askOf(places: Iterable<number | null>, work: Work): Generator<null, void> {
    this.unnoted = 0;
    let asked = 0;
    for (const place of places) {
      if (place === null) {
        if (work.isDue) yield null;
        continue;
      }
      this.fits(place);
      work.spend(this.tests.length);
      if (work.isDue || ++asked % placesBetweenPauses === 0) yield null;
    }
  }

  private ask(place: number): boolean {
    const { sets, nodeSets, tests } = this;
    const fits = sets[nodeSets[place]!] === 1 && tests.every(test => test.holds(place));
    if (this.unnoted-- <= 0) (this.known ??= new Uint8Array(nodeSets.length))[place] = fits ? 1 : 2;
    return fits;
  }
}
