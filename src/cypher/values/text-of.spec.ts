import { type CypherValue } from './cypher-value.js';
import { Decimal } from './decimal.js';
import { textOf, typeNameOf } from './text-of.js';

describe('textOf', () => {
  it.each<[CypherValue, string | null]>([
    ['apa', 'apa'],
    [42n, '42'],
    [true, 'true'],
    [2.3, '2.3'],
    [1, '1.0'],
    [-0, '0.0'],
    [100, '100.0'],
    [0.001, '0.001'],
    [9_999_999, '9999999.0'],
    [1e7, '1.0E7'],
    [1e10, '1.0E10'],
    [-12_345_678.5, '-1.23456785E7'],
    [0.0001, '1.0E-4'],
    [NaN, 'NaN'],
    [-Infinity, '-Infinity'],
    [Decimal.parse('12.50'), '12.5'],
    [Decimal.parse('500'), '500'],
    [null, null],
    [[], null],
    [new Map(), null],
  ])('writes %p as %p', (value, expected) => {
    expect(textOf(value)).toBe(expected);
  });
});

describe('typeNameOf', () => {
  it('names the kinds of numbers apart', () => {
    expect([1n, 1, Decimal.of(1n)].map(value => typeNameOf(value).en)).toEqual(['an integer', 'a float', 'a decimal']);
  });
});
