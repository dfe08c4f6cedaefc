import { greatestInteger, leastInteger } from './cypher-value.js';
import { Decimal } from './decimal.js';
import { readJsonParameters, readJsonValue } from './read-json-value.js';

describe('readJsonParameters', () => {
  it('keeps each integer of 64 bits, and tells integers from floats', () => {
    const read = readJsonParameters('{"a": 9223372036854775807, "b": [-9223372036854775808, 1, 1.0, 1e2], "c": {"d": "1"}}');
    expect(read.get('a')).toBe(greatestInteger);
    expect(read.get('b')).toEqual([leastInteger, 1n, 1, 100]);
    expect(read.get('c')).toEqual(new Map([['d', '1']]));
  });

  it('reads no digits of an integer that is too long to be used', () => {
    const digits = '9'.repeat(1_000_000);
    expect(readJsonParameters(`{"a": ${digits}}`)).toEqual(readJsonParameters(`{"a": 1${digits}}`));
    expect(readJsonParameters(`{"a": ${digits}}`).get('a')).toBeGreaterThan(greatestInteger);
    expect(readJsonParameters(`{"a": -${digits}}`).get('a')).toBeLessThan(leastInteger);
  });
});

describe('readJsonValue', () => {
  it('keeps every digit of a stored number', () => {
    expect(readJsonValue('[100000000000000000000000001, 0.10000000000000000000000001]')).toEqual([
      100000000000000000000000001n,
      Decimal.parse('0.10000000000000000000000001'),
    ]);
  });
});
