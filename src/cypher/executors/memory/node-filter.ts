import { type Work } from './work.js';

/** Places that read nothing spend nothing, but take their time. */
const placesBetweenPauses = 8_192;
/** A column is read for so many places in a millisecond, or less. */
const columnPlacesBetweenPauses = 65_536;
/** More conditions than these are not asked inside of a walk, which cannot pause at an edge. */
const mostAskedInWalks = 2;

/** One condition of a node. It cannot fail. */
export interface NodeTest {
  holds(place: number): boolean;
  /** Whether `holds` compares numbers alone, and evaluates no expression. */
  isQuick: boolean;
  /** The answers for all places; null if the condition is not over a column of numbers or few texts. */
  column: ColumnAnswers | null;
  /** How many values it reads until it knows all, where reading one takes long. */
  slowReads: number;
}

/** Answers of a condition over a column. */
export interface ColumnAnswers {
  /** A place for each text, of nodes with a set of labels that fits, for which `holds` has no answer yet. */
  unasked(sets: Uint8Array): Iterable<number>;
  /** Sets 2 in `known` for the places from `from` to before `to` that the condition rules out, once `unasked` gives none. */
  ruleOut(known: Uint8Array, from: number, to: number): void;
}

/** So many places are asked without noting what they are: a query that comes to few of them needs no array of all. */
const mostUnnoted = 64;

/** Which nodes fit a node of a pattern. */
export class NodeFilter {
  /** 0 where nobody has asked yet, 1 where the node fits, 2 where it does not; null at first. */
  private known: Uint8Array | null = null;
  private unnoted = mostUnnoted;
  private knowsAll = false;

  /** @param sets 1 for the sets of labels that fit, by number */
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

  /** 1 for the places that fit, and 0 for others. Null where not all are known. */
  mask(): Uint8Array | null {
    const { known, nodeSets, sets } = this;
    const mask = new Uint8Array(nodeSets.length);
    if (this.tests.length === 0) for (let place = 0; place < mask.length; place++) mask[place] = sets[nodeSets[place]!]!;
    else if (this.knowsAll) for (let place = 0; place < mask.length; place++) mask[place] = known![place]! & 1;
    else return null;
    return mask;
  }

  /** The filter of nodes that fit both. */
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

  /** Whether a walk may ask it at each edge: all is known, or it has few conditions, each of which compares numbers. */
  get isQuick(): boolean {
    return this.knowsAll || (this.tests.length <= mostAskedInWalks && this.tests.every(({ isQuick }) => isQuick));
  }

  /** Whether each of its conditions is over a column of numbers or few texts, so that asking of all places is quick. */
  get readsColumns(): boolean {
    return this.tests.every(({ column }) => column !== null);
  }

  /** Asks of all places. Yields where the query may pause. */
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
   * Asks of some places, so that a walk, which cannot pause, need not. Yields where the query may pause.
   * @param places null where the query may pause
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
