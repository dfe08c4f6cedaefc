import { reciprocalOf } from './reciprocal.js';
import { valueTypeOf } from './target-dialect.js';

describe('a quotient by a number as a product', () => {
  it.each([
    ['100', 'numeric(12,2)', '0.01'],
    ['1000.0', 'numeric(12,2)', '0.001'],
    ['8', 'integer', '0.125'],
    ['2.5', 'numeric(12,2)', '0.4'],
    ['10000', 'bigint', '0.0001'],
    ['1', 'bigint', '1'],
    ['2.5', 'numeric(18,3)', '0.4'],
  ])('turns the divisor %s of a value of type %s into the factor %s', (divisor, type, factor) => {
    expect(reciprocalOf(divisor, valueTypeOf(type))).toBe(factor);
  });

  it.each([
    ['without an end', '3', 'integer'],
    ['by zero', '0', 'integer'],
    ['by less than one', '0.5', 'integer'],
    ['that PostgreSQL rounds: 9223372036854775807 / 100 is 92233720368547758', '100', 'bigint'],
    ['that PostgreSQL rounds to 8 digits', '8', 'numeric(18,6)'],
    ['that PostgreSQL rounds to 4 digits', '2.5', 'numeric(18,4)'],
    ['by a text that is not a number', 'NaN', 'integer'],
  ])('is none for a quotient %s', (_, divisor, type) => {
    expect(reciprocalOf(divisor, valueTypeOf(type))).toBeNull();
  });
});
