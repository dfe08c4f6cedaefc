import fc from 'fast-check';
import { Decimal } from './decimal.js';
import { quotientOf, roundedHalfUp } from './decimal-quotient.js';

const decimal = (text: string) => Decimal.parse(text)!;
const decimals = fc
  .tuple(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), fc.nat(12))
  .map(([units, scale]) => new Decimal(units, scale));

describe('quotientOf', () => {
  it('is at most half of its last decimal away from the true quotient', () => {
    fc.assert(
      fc.property(
        decimals,
        decimals.filter(({ units }) => units !== 0n),
        (dividend, divisor) => {
          const difference = quotientOf(dividend, divisor).times(divisor).minus(dividend);
          const size = difference.units < 0n ? difference.negated() : difference;
          const allowed = divisor.times(new Decimal(divisor.units < 0n ? -5n : 5n, 21));
          return size.compare(allowed) <= 0;
        },
      ),
    );
  });

  it('undoes a product', () => {
    fc.assert(
      fc.property(
        decimals,
        decimals.filter(({ units }) => units !== 0n),
        (a, b) => quotientOf(a.times(b), b).compare(a) === 0,
      ),
    );
  });
});

describe('roundedHalfUp', () => {
  it.each([
    ['2.345', 2, '2.35'],
    ['-2.345', 2, '-2.35'],
    ['2.344', 2, '2.34'],
    ['2.5', 0, '3'],
    ['1250', -2, '1300'],
    ['-49', -2, '0'],
    ['1.5', 5, '1.5'],
  ])('rounds %s to %i decimals: %s', (text, digits, expected) => {
    expect(roundedHalfUp(decimal(text), digits).toString()).toBe(expected);
  });
});
