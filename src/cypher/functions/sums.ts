import { type CypherValue } from '../values/cypher-value.js';
import { Decimal } from '../values/decimal.js';
import { quotientOf } from '../values/decimal-quotient.js';
import { fittingInteger } from '../values/number-arithmetic.js';
import { type CypherNumber, isNumber } from '../values/numbers.js';
import { divideDuration, plusDurations, scaleDuration } from '../values/temporal/duration.js';
import { isDuration } from '../values/temporal/is-temporal.js';
import { sizeOf } from '../values/value-size.js';
import { type DurationValue } from '../values/temporal/temporal-value.js';
import { type Accumulator } from './accumulator.js';
import { takes, wrongArgument } from './cypher-function.js';

/** `sum`: 0 if there is no value. Only the total has to fit into an integer, so the order of rows does not matter. */
export class Sum implements Accumulator {
  private readonly total = new Total('sum');

  get bytes(): number {
    return this.total.bytes;
  }

  add([value = null]: readonly CypherValue[]): void {
    this.total.add(value, 1);
  }

  addTimes([value = null]: readonly CypherValue[], times: number): void {
    this.total.add(value, times);
  }

  result(): CypherValue {
    const { durations, count } = this.total;
    if (durations !== null) return durations;
    if (count === 0) return 0n;
    return this.total.ofNumbers();
  }
}

/** `avg`: null if there is no value, a float for integers, and exact for decimals, with 20 digits or more. */
export class Mean implements Accumulator {
  private readonly total = new Total('avg');

  get bytes(): number {
    return this.total.bytes;
  }

  add([value = null]: readonly CypherValue[]): void {
    this.total.add(value, 1);
  }

  addTimes([value = null]: readonly CypherValue[], times: number): void {
    this.total.add(value, times);
  }

  result(): CypherValue {
    const { durations, count } = this.total;
    if (count === 0) return null;
    if (durations !== null) return divideDuration(durations, BigInt(count));
    const sum = this.total.ofNumbersUnbounded();
    return sum instanceof Decimal ? quotientOf(sum, Decimal.of(BigInt(count))) : Number(sum) / count;
  }
}

/**
 * A running total. Integers, decimals and floats are summed separately, so that the exact sums of integers and decimals lose no digits to
 * the floats.
 */
class Total {
  count = 0;
  durations: DurationValue | null = null;
  private integers = 0n;
  private decimals: Decimal | null = null;
  private floats: number | null = null;

  constructor(private readonly name: string) {}

  /** Bytes of the sum of the decimals, which may have thousands of digits. */
  get bytes(): number {
    return sizeOf(this.decimals);
  }

  add(value: CypherValue, times: number): void {
    if (value === null) return;
    if (isNumber(value) && this.durations === null) this.addNumber(value, times);
    else if (isDuration(value) && (this.durations !== null || this.count === 0)) {
      const duration = times === 1 ? value : scaleDuration(value, BigInt(times));
      this.durations = this.durations === null ? duration : plusDurations(this.durations, duration);
    } else throw wrongArgument(this.name, takes.summable, value);
    this.count += times;
  }

  ofNumbers(): CypherNumber {
    const sum = this.ofNumbersUnbounded();
    return typeof sum === 'bigint' ? fittingInteger(sum) : sum;
  }

  ofNumbersUnbounded(): CypherNumber {
    const exact = this.decimals === null ? this.integers : this.decimals.plus(Decimal.of(this.integers));
    if (this.floats === null) return exact;
    return this.floats + Number(exact.toString());
  }

  private addNumber(value: CypherNumber, times: number): void {
    if (typeof value === 'bigint') this.integers += value * BigInt(times);
    else if (typeof value === 'number') this.floats = (this.floats ?? 0) + value * times;
    else {
      const product = times === 1 ? value : value.times(Decimal.of(BigInt(times)));
      this.decimals = this.decimals?.plus(product) ?? product;
    }
  }
}
