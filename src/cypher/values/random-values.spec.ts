import fc from 'fast-check';
import { type CypherValue } from './cypher-value.js';
import { Decimal } from './decimal.js';
import { equals, keyOf } from './equality.js';
import { compareForOrder, lessThan } from './order.js';
import { isLong } from '../../../test/support/tier.js';

/** Few different values, so that equal values are often compared, and the numbers around 2^53, where floats have gaps. */
const numbers: fc.Arbitrary<CypherValue> = fc.oneof(
  fc.bigInt({ min: -3n, max: 3n }),
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(0.1, 0.5, -0, NaN, Infinity, -Infinity, 2 ** 53, 2 ** 62, 1e300, 5e-324),
  fc.constantFrom(2n ** 53n, 2n ** 53n + 1n, 2n ** 62n),
  fc.double(),
  fc.tuple(fc.bigInt({ min: -20n, max: 20n }), fc.integer({ min: 0, max: 3 })).map(([units, scale]) => new Decimal(units, scale)),
);
const ids = fc.integer({ min: 1, max: 3 });
const properties = new Map();
const nodes = ids.map(id => ({ kind: 'node' as const, id, labels: [], properties }));
const edges = ids.map(id => ({ kind: 'edge' as const, id, type: 'T', source: 1, target: 2, properties }));
const paths = fc.tuple(nodes, nodes, edges).map(([a, b, edge]) => ({ kind: 'path' as const, nodes: [a, b], edges: [edge] }));
const texts = fc.oneof(fc.constantFrom('', 'a', 'b', '1', '1:a', '\uffee', '😀'), fc.string({ maxLength: 3, unit: 'binary' }));

const { value: values } = fc.letrec<{ value: CypherValue }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    numbers,
    texts,
    fc.constantFrom(null, true, false),
    fc.oneof(nodes, edges, paths),
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .array(fc.tuple(fc.constantFrom('a', 'b', 'c'), tie('value')), { maxLength: 3 })
      .map(entries => new Map<string, CypherValue>(entries)),
  ),
}));

/** Half of the pairs are a value and a copy of it with numbers of another kind. */
const pairs = fc.oneof(
  fc.tuple(values, values),
  values.map((value): [CypherValue, CypherValue] => [value, inOtherKinds(value)]),
);

describe('random values', () => {
  it('have the same key exactly when they are equal, except for null and NaN', () => {
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        const same = keyOf(a) === keyOf(b);
        const result = equals(a, b);
        if (holdsNullOrNaN(a)) return result !== true;
        return same === (result === true);
      }),
      { numRuns: isLong ? 2000 : 500 },
    );
  });

  it('have the same key exactly when ORDER BY puts them at the same place', () => {
    fc.assert(
      fc.property(pairs, ([a, b]) => (keyOf(a) === keyOf(b)) === (compareForOrder(a, b) === 0)),
      { numRuns: isLong ? 2000 : 500 },
    );
  });

  it('stand in a total order', () => {
    fc.assert(
      fc.property(values, values, values, (a, b, c) => {
        const sign = (x: CypherValue, y: CypherValue) => Math.sign(compareForOrder(x, y));
        expect(sign(a, b) + sign(b, a)).toBe(0);
        if (sign(a, b) <= 0 && sign(b, c) <= 0) expect(sign(a, c)).toBeLessThanOrEqual(0);
      }),
      { numRuns: isLong ? 3000 : 700 },
    );
  });

  it('stand in the same order for < as for ORDER BY, where < knows one', () => {
    fc.assert(
      fc.property(pairs, ([a, b]) => lessThan(a, b) !== true || compareForOrder(a, b) < 0),
      { numRuns: isLong ? 2000 : 500 },
    );
  });
});

function inOtherKinds(value: CypherValue): CypherValue {
  if (typeof value === 'bigint') return new Decimal(value * 100n, 2);
  if (value instanceof Decimal) return new Decimal(value.units * 10n, value.scale + 1);
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return (value as CypherValue[]).map(inOtherKinds);
  return value instanceof Map ? new Map([...(value as Map<string, CypherValue>)].reverse().map(([k, v]) => [k, inOtherKinds(v)])) : value;
}

function holdsNullOrNaN(value: CypherValue): boolean {
  if (value === null || Number.isNaN(value)) return true;
  if (Array.isArray(value)) return value.some(holdsNullOrNaN);
  return value instanceof Map && [...value.values()].some(holdsNullOrNaN);
}
