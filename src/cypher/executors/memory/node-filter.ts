/** One condition of a node. It cannot fail. */
export interface NodeTest {
  holds(place: number): boolean;
  /** Sets 2 in `known` for the places that it rules out. Absent where asking all of them takes long, since it does not pause. */
  ruleOut?: ((known: Uint8Array) => void) | undefined;
}

/**
 * Which nodes fit a node of a pattern. Asked place by place, since a walk may reach few of them, until so many were asked that all of
 * them at once cost less.
 */
export class NodeFilter {
  /** 0 where nobody has asked yet, 1 where the node fits, 2 where it does not. */
  private readonly known: Uint8Array;
  private left: number;

  /** @param sets 1 for the sets of labels that fit, by number */
  constructor(
    private readonly nodeSets: Uint32Array,
    private readonly sets: Uint8Array,
    private readonly tests: readonly NodeTest[],
  ) {
    this.known = new Uint8Array(nodeSets.length);
    this.left = nodeSets.length >> 4;
  }

  fits(place: number): boolean {
    const known = this.known[place]!;
    return known === 0 ? this.ask(place) : known === 1;
  }

  /** 1 for the places that fit, and 0 for others. Null where a condition has to be asked place by place. */
  mask(): Uint8Array | null {
    if (!this.canAskAll) return null;
    this.askAll();
    return this.known.map(known => known & 1);
  }

  /** The filter of nodes that fit both. */
  and(other: NodeFilter | null): NodeFilter {
    if (!other) return this;
    const sets = this.sets.map((fits, set) => fits & other.sets[set]!);
    return new NodeFilter(this.nodeSets, sets, [...this.tests, ...other.tests]);
  }

  private get canAskAll(): boolean {
    return this.tests.every(test => test.ruleOut !== undefined);
  }

  private ask(place: number): boolean {
    const { sets, nodeSets, tests, known } = this;
    if (this.left-- === 0 && this.canAskAll) {
      this.askAll();
      return known[place] === 1;
    }
    const fits = sets[nodeSets[place]!] === 1 && tests.every(test => test.holds(place));
    known[place] = fits ? 1 : 2;
    return fits;
  }

  private askAll(): void {
    const { sets, nodeSets, known } = this;
    for (let place = 0; place < known.length; place++) known[place] = sets[nodeSets[place]!] === 1 ? 1 : 2;
    for (const test of this.tests) test.ruleOut!(known);
  }
}
