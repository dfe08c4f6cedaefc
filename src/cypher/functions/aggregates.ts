import { spendReading } from '../syntax/effort.js';
import { type CypherValue } from '../values/cypher-value.js';
import { compareForOrder } from '../values/order.js';
import { GatheredValues } from './gathered-values.js';
import { sizeOf } from '../values/value-size.js';
import { type Accumulator, type AggregateFunction } from './accumulator.js';
import { ContinuousPercentile, DiscretePercentile, StandardDeviation } from './statistics.js';
import { Mean, Sum } from './sums.js';

export type { Accumulator, AggregateFunction } from './accumulator.js';

/** Aggregate functions by name in lower case. All of them ignore null. */
export const aggregateFunctions: Readonly<Record<string, AggregateFunction>> = {
  count: { name: 'count', least: 1, most: 1, start: () => new Count() },
  sum: { name: 'sum', least: 1, most: 1, start: () => new Sum() },
  avg: { name: 'avg', least: 1, most: 1, start: () => new Mean() },
  min: { name: 'min', least: 1, most: 1, start: () => new Extreme(-1) },
  max: { name: 'max', least: 1, most: 1, start: () => new Extreme(1) },
  collect: { name: 'collect', least: 1, most: 1, start: () => new Collection() },
  stdev: { name: 'stDev', least: 1, most: 1, start: () => new StandardDeviation('stDev', 1) },
  stdevp: { name: 'stDevP', least: 1, most: 1, start: () => new StandardDeviation('stDevP', 0) },
  percentilecont: { name: 'percentileCont', least: 2, most: 2, start: () => new ContinuousPercentile('percentileCont') },
  percentiledisc: { name: 'percentileDisc', least: 2, most: 2, start: () => new DiscretePercentile('percentileDisc') },
};

/** `count`. Without an argument it counts the row, as `count(*)` does. */
class Count implements Accumulator {
  private count = 0n;

  add(args: readonly CypherValue[]): void {
    if (args[0] !== null) this.count += 1n;
  }

  addTimes(args: readonly CypherValue[], times: number): void {
    if (args[0] !== null) this.count += BigInt(times);
  }

  result(): CypherValue {
    return this.count;
  }
}

/** `min` for -1 and `max` for 1, in the order of ORDER BY. The first of equal values is kept. */
class Extreme implements Accumulator {
  bytes = 0;
  private found: CypherValue = null;

  constructor(private readonly direction: -1 | 1) {}

  addTimes(args: readonly CypherValue[]): void {
    this.add(args);
  }

  add([value = null]: readonly CypherValue[]): void {
    if (value === null) return;
    if (typeof value === 'string') spendReading(value);
    if (this.found !== null && compareForOrder(value, this.found) * this.direction <= 0) return;
    this.found = value;
    this.bytes = sizeOf(value);
  }

  result(): CypherValue {
    return this.found;
  }
}

class Collection implements Accumulator {
  private readonly values = new GatheredValues<NonNullable<CypherValue>>();

  get bytes(): number {
    return this.values.bytes;
  }

  add([value = null]: readonly CypherValue[]): void {
    if (value !== null) this.values.push(value);
  }

  result(): CypherValue {
    return this.values.whole();
  }
}
