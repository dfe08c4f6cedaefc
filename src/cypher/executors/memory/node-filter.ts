import { type Work } from './work.js';

/** Places that read nothing spend nothing, but take their time. */
const placesBetweenPauses = 8_192;

/** One condition of a node. It cannot fail. */
export interface NodeTest {
  holds(place: number): boolean;
  /** Sets 2 in `known` for the places that it rules out. Absent where asking all of them takes long, since it does not pause. */
  ruleOut?: ((known: Uint8Array) => void) | undefined;
  /** How many values it reads until it knows all, where reading one takes long. */
  slowReads: number;
}

/** So many places are asked without noting what they are: a query that comes to few of them needs no array of all. */
const mostUnnoted = 64;

/**
 * Which nodes fit a node of a pattern. Asked place by place, since a walk may reach few of them, until so many were asked that all of
 * them at once cost less.
 */
export class NodeFilter {
  /** 0 where nobody has asked yet, 1 where the node fits, 2 where it does not; null at first. */
  private known: Uint8Array | null = null;
  private unnoted = mostUnnoted;
  private left: number;

  /** @param sets 1 for the sets of labels that fit, by number */
  constructor(
    private readonly nodeSets: Uint32Array,
    private readonly sets: Uint8Array,
    private readonly tests: readonly NodeTest[],
  ) {
    this.left = nodeSets.length >> 4;
  }

  fits(place: number): boolean {
    if (this.tests.length === 0) return this.sets[this.nodeSets[place]!] === 1;
    const known = this.known === null ? 0 : this.known[place]!;
    return known === 0 ? this.ask(place) : known === 1;
  }

  /** 1 for the places that fit, and 0 for others. Null where a condition has to be asked place by place. */
  mask(): Uint8Array | null {
    if (!this.canAskAll) return null;
    return this.askAll().map(known => known & 1);
  }

  /** The filter of nodes that fit both. */
  and(other: NodeFilter | null): NodeFilter {
    if (!other) return this;
    const sets = this.sets.map((fits, set) => fits & other.sets[set]!);
    return new NodeFilter(this.nodeSets, sets, [...this.tests, ...other.tests]);
  }

  get slowReads(): number {
    return this.tests.reduce((sum, test) => sum + test.slowReads, 0);
  }

  /** Asks all places, so that a walk, which cannot pause, need not. Yields where the query may pause. */
  *askInSteps(work: Work): Generator<null, void> {
    this.unnoted = 0;
    for (let place = 0; place < this.nodeSets.length; place++) {
      this.fits(place);
      if (work.isDue || place % placesBetweenPauses === 0) yield null;
    }
  }

  private get canAskAll(): boolean {
    return this.tests.every(test => test.ruleOut !== undefined);
  }

  private ask(place: number): boolean {
    const { sets, nodeSets, tests } = this;
    if (this.left-- === 0 && this.canAskAll) return this.askAll()[place] === 1;
    const fits = sets[nodeSets[place]!] === 1 && tests.every(test => test.holds(place));
    if (this.unnoted-- <= 0) (this.known ??= new Uint8Array(nodeSets.length))[place] = fits ? 1 : 2;
    return fits;
  }

  private askAll(): Uint8Array {
    const { sets, nodeSets } = this;
    const known = (this.known ??= new Uint8Array(nodeSets.length));
    for (let place = 0; place < known.length; place++) known[place] = sets[nodeSets[place]!] === 1 ? 1 : 2;
    for (const test of this.tests) test.ruleOut!(known);
    return known;
  }
}
