import { type CypherValue, greatestInteger } from '../values/cypher-value.js';
import { Decimal } from '../values/decimal.js';
import { aggregateFunctions } from './aggregates.js';

const decimal = (text: string) => Decimal.parse(text)!;
const shown = (value: CypherValue) => (value instanceof Decimal ? `decimal ${value.toString()}` : value);

function over(name: string, values: CypherValue[], ...more: CypherValue[]): CypherValue {
  const accumulator = aggregateFunctions[name.toLowerCase()]?.start();
  if (!accumulator) throw new Error(`${name} is missing`);
  values.forEach(value => accumulator.add([value, ...more]));
  for (const _ of accumulator.prepare?.(() => false) ?? []);
  return accumulator.result();
}

describe('aggregates', () => {
  it.each<[string, CypherValue[], unknown]>([
    ['count', [33n, null, 'a'], 2n],
    ['count', [], 0n],
    ['sum', [33n, null, 42n], 75n],
    ['sum', [], 0n],
    ['sum', [greatestInteger, 1n, -2n], greatestInteger - 1n],
    ['sum', [1n, 0.5], 1.5],
    ['sum', [decimal('0.1'), decimal('0.2'), 1n], 'decimal 1.3'],
    ['sum', [decimal('0.5'), 0.5], 1],
    ['avg', [], null],
    ['avg', [null], null],
    ['avg', [1n, 2n], 1.5],
    ['avg', [greatestInteger, greatestInteger], Number(greatestInteger)],
    ['avg', [1.5, 2.5], 2],
    ['avg', [decimal('0.1'), decimal('0.2')], 'decimal 0.15'],
    ['avg', [decimal('1'), 0n, 0n], 'decimal 0.33333333333333333333'],
    ['min', [1n, 2n, 0n, null, -1n], -1n],
    ['max', [1n, 2.5, 5n, null, 3.2], 5n],
    ['min', [1n, 2, 5n, null, 3.2, 0.1], 0.1],
    ['max', ['a', 'b', 'B', null, 'abc'], 'b'],
    ['min', ['a', 'b', 'B', null, 'abc'], 'B'],
    ['max', [[1n], [2n], [2n, 1n]], [2n, 1n]],
    ['max', [1n, 'a', null, [1n, 2n], 0.2, 'b'], 1n],
    ['min', [1n, 'a', null, [1n, 2n], 0.2, 'b'], [1n, 2n]],
    ['min', [null], null],
    ['collect', [null, 1n, null, 'a'], [1n, 'a']],
    ['collect', [], []],
    ['stDev', [2n, 4n, 4n, 4n, 5n, 5n, 7n, 9n], Math.sqrt(32 / 7)],
    ['stDevP', [2n, 4n, 4n, 4n, 5n, 5n, 7n, 9n], 2],
    ['stDev', [1n, null], 0],
    ['stDevP', [], 0],
  ])('%s of %p is %p', (name, values, expected) => {
    expect(shown(over(name, values))).toEqual(expected);
  });

  it.each<[string, CypherValue[], CypherValue, CypherValue]>([
    ['percentileDisc', [30, 10, 20], 0, 10],
    ['percentileDisc', [30, 10, 20], 0.5, 20],
    ['percentileDisc', [30, 10, 20], 1n, 30],
    ['percentileDisc', [1n, 2n, 3n, 4n], 0.5, 2n],
    ['percentileCont', [30, 10, null, 20], 0, 10],
    ['percentileCont', [30, 10, 20], 0.5, 20],
    ['percentileCont', [10n, 20n], 0.25, 12.5],
    ['percentileCont', [30, 10, 20], 1, 30],
    ['percentileCont', [null], 0.5, null],
  ])('%s of %p at %p is %p', (name, values, share, expected) => {
    expect(over(name, values, share)).toEqual(expected);
  });

  it.each<[string, CypherValue]>([
    ['percentileCont', 1000n],
    ['percentileCont', -1n],
    ['percentileDisc', 1.1],
    ['percentileDisc', NaN],
  ])('%s refuses the percentile %p', (name, share) => {
    expect(() => over(name, [10], share)).toThrow(expect.objectContaining({ type: 'ArgumentError', detail: 'NumberOutOfRange' }));
  });

  it('refuses a sum of integers beyond 64 bits', () => {
    expect(() => over('sum', [greatestInteger, 1n])).toThrow(
      expect.objectContaining({ type: 'ArithmeticError', detail: 'IntegerOverflow' }),
    );
  });

  it.each<[string, CypherValue]>([
    ['sum', 'a'],
    ['avg', true],
    ['stDev', [1n]],
  ])('%s refuses %p', (name, value) => {
    expect(() => over(name, [value], 0.5)).toThrow(expect.objectContaining({ type: 'TypeError', detail: 'InvalidArgumentValue' }));
  });

  it('counts rows when there is no argument', () => {
    const rows = aggregateFunctions.count?.start();
    rows?.add([]);
    rows?.add([]);
    expect(rows?.result()).toBe(2n);
  });

  it('collects no more than the bound of a query, and says what it holds', () => {
    const collected = aggregateFunctions.collect?.start();
    collected?.add(['abcd']);
    expect(collected?.bytes).toBe(192);
    const text = 'a'.repeat(1_000_000);
    expect(() => over('collect', new Array<string>(70).fill(text))).toThrow(expect.objectContaining({ detail: 'ValueTooLarge' }));
  });
});
