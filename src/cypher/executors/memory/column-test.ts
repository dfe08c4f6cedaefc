import { type ColumnAnswers, type NodeTest } from './node-filter.js';
import { type NodeColumn } from './memory-graph.js';

/** Result of a condition on one property for numbers below, equal to and above the number `than` that it compares them with. */
export interface NumberTest {
  than: number;
  below: boolean;
  equal: boolean;
  above: boolean;
}

const [inNumbers, ruledOut] = [1, 2];
/**
 * Maximum codes of a column for which the results of the condition are kept by code. With more codes the condition is evaluated for each
 * node.
 */
const mostCodesKnown = 20_000;

/**
 * Tests a condition on one property of a node over the column of this property. Numbers are compared as floats, which hold them exactly.
 * Every other value has a code: the condition is evaluated once for each code, also for the code of missing values.
 * @param ask evaluates the expression of the condition for the node at a place
 */
export class ColumnTest implements NodeTest, ColumnAnswers {
  /**
   * Results of the condition, by reading and then by code: 0 unknown, 1 true, 2 not true. A reading is the type as which nodes with some
   * sets of labels read the texts of the column.
   */
  private readonly known: (Uint8Array | undefined)[] = [];

  constructor(
    private readonly nodeSets: Uint32Array,
    private readonly values: NodeColumn,
    private readonly numbers: NumberTest | null,
    private readonly ask: (place: number) => boolean,
  ) {}

  holds(place: number): boolean {
    const code = this.values.codes[place]!;
    if (code !== inNumbers) return this.holdsOfCode(place, code);
    if (!this.numbers) return this.ask(place);
    const { than, below, equal, above } = this.numbers;
    const number = this.values.numbers[place]!;
    return number < than ? below : number > than ? above : equal;
  }

  get slowReads(): number {
    const { readsSlowly, codeCount } = this.values;
    if (!readsSlowly) return 0;
    return codeCount <= mostCodesKnown ? codeCount : Infinity;
  }

  get isQuick(): boolean {
    return this.numbers !== null && this.values.codeCount <= inNumbers + 1;
  }

  *unasked(sets: Uint8Array): Generator<number> {
    const { codes, readings } = this.values;
    for (let place = 0; place < codes.length; place++) {
      const [code, set] = [codes[place]!, this.nodeSets[place]!];
      if (code !== inNumbers && sets[set] === 1 && !this.known[readings[set]!]?.[code]) yield place;
    }
  }

  get column(): ColumnAnswers | null {
    const { numbers, codeCount, readsSlowly } = this.values;
    return !readsSlowly && codeCount <= mostCodesKnown && (this.numbers !== null || numbers.length === 0) ? this : null;
  }

  ruleOut(known: Uint8Array, from: number, to: number): void {
    const { codes, numbers } = this.values;
    const test = this.numbers ?? { than: 0, below: false, equal: false, above: false };
    const { than } = test;
    const [below, equal, above] = [test.below, test.equal, test.above].map(holds => (holds ? 0 : ruledOut)) as [number, number, number];
    for (let place = from; place < to; place++) {
      const code = codes[place]!;
      if (code === inNumbers) {
        const number = numbers[place]!;
        const answer = number < than ? below : number > than ? above : equal;
        if (answer === ruledOut) known[place] = ruledOut;
      } else if (known[place] !== ruledOut && !this.holdsOfCode(place, code)) known[place] = ruledOut;
    }
  }

  private holdsOfCode(place: number, code: number): boolean {
    const { codeCount, readings } = this.values;
    if (codeCount > mostCodesKnown) return this.ask(place);
    const answers = (this.known[readings[this.nodeSets[place]!]!] ??= new Uint8Array(codeCount));
    if (answers[code] === 0) answers[code] = this.ask(place) ? 1 : ruledOut;
    return answers[code] === 1;
  }
}
