import { type CypherValue } from '../values/cypher-value.js';
import { spend } from '../syntax/effort.js';
import { compareNumbers, type CypherNumber, floatOf, isNumber } from '../values/numbers.js';
import { compareForOrder } from '../values/order.js';
import { type Accumulator } from './accumulator.js';
import { bytesOfSlots } from '../values/value-size.js';
import { GatheredValues } from './gathered-values.js';
import { sortInSteps } from './sort-in-steps.js';
import { outOfRange, takes, wrongArgument } from './cypher-function.js';

/** `stDev` and `stDevP` by Welford's method, which needs no second pass. 0.0 for less than two values. */
export class StandardDeviation implements Accumulator {
  private count = 0;
  private mean = 0;
  private squares = 0;

  /** @param missing the number subtracted from the count in the divisor: 1 for a sample, 0 for a whole population */
  constructor(
    private readonly name: string,
    private readonly missing: 0 | 1,
  ) {}

  add([value = null]: readonly CypherValue[]): void {
    if (value === null) return;
    const x = floatOf(numberOf(this.name, value));
    this.count += 1;
    const distance = x - this.mean;
    this.mean += distance / this.count;
    this.squares += distance * (x - this.mean);
  }

  result(): CypherValue {
    return this.count < 2 ? 0 : Math.sqrt(this.squares / (this.count - this.missing));
  }
}

/** Collects the values of a group. The percentile is the one in the first row. `prepare` must run before `result`. */
abstract class Percentile implements Accumulator {
  private readonly values = new GatheredValues<CypherNumber>();
  private sorted: CypherNumber[] = [];
  private share: number | null = null;

  constructor(private readonly name: string) {}

  add([value = null, share = null]: readonly CypherValue[]): void {
    this.share ??= this.readShare(share);
    if (value === null) return;
    this.values.push(numberOf(this.name, value));
  }

  /** Bytes of the values, and of two more lists that sorting needs. */
  get bytes(): number {
    return this.values.bytes + 2 * bytesOfSlots(this.values.length);
  }

  *prepare(isDue: () => boolean): Generator<null, void> {
    this.sorted = yield* sortInSteps(this.values.whole(), compared, isDue);
  }

  result(): CypherValue {
    if (this.sorted.length === 0 || this.share === null) return null;
    return this.at(this.sorted, this.share);
  }

  protected abstract at(sorted: readonly CypherNumber[], share: number): CypherValue;

  private readShare(share: CypherValue): number {
    const number = numberOf(this.name, share);
    if (compareNumbers(number, 0n) >= 0 && compareNumbers(number, 1n) <= 0) return floatOf(number);
    throw outOfRange({
      zh: `${this.name}() 的百分位须在 0 与 1 之间`,
      en: `The percentile of ${this.name}() must be between 0 and 1`,
    });
  }
}

/** `percentileDisc`: the value at the position of the percentile, never a number between two values. */
export class DiscretePercentile extends Percentile {
  protected at(sorted: readonly CypherNumber[], share: number): CypherValue {
    return sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)] ?? null;
  }
}

/** `percentileCont`: a float, interpolated linearly between the two values nearest to the percentile. */
export class ContinuousPercentile extends Percentile {
  protected at(sorted: readonly CypherNumber[], share: number): CypherValue {
    const place = share * (sorted.length - 1);
    const [below, above] = [Math.floor(place), Math.ceil(place)].map(i => floatOf(sorted[i] ?? 0n)) as [number, number];
    return below === above ? below : below + (above - below) * (place - Math.floor(place));
  }
}

function compared(a: CypherNumber, b: CypherNumber): number {
  spend(5);
  return compareForOrder(a, b);
}

function numberOf(name: string, value: CypherValue): CypherNumber {
  if (!isNumber(value)) throw wrongArgument(name, takes.number, value);
  return value;
}
