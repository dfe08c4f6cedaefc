import { metered } from '../syntax/effort.js';
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
    expect(readJsonValue('[999999999999999, -999999999999999, 9007199254740993, -0]')).toEqual([
      999999999999999n,
      -999999999999999n,
      9007199254740993n,
      0n,
    ]);
    expect(readJsonValue('[0.1, 2e3, 5]', true)).toEqual([0.1, 2000, 5n]);
  });

  it('reads lists of lists, of words and of nothing', () => {
    expect(readJsonValue('[ true,null , 1]')).toEqual([true, null, 1n]);
    expect(readJsonValue('[1, [2, [], ["a]", 3]], {"b": [4]}]')).toEqual([1n, [2n, [], ['a]', 3n]], new Map([['b', [4n]]])]);
    for (const broken of ['[1, 2', '[1,,2]', '[1 2]', '[1, x]', '[,]', '[1,]', '[1:2]'])
      expect(() => readJsonValue(broken)).toThrow(SyntaxError);
  });

  it('counts a list before it is read', () => {
    const meter = { spent: 0, spend(units: number) { if ((meter.spent += units) > 1_000) throw new Error('too much'); } }; // prettier-ignore
    expect(() => metered(meter, () => readJsonValue(`[${'1,'.repeat(1_000)}`))).toThrow('too much');
    expect(metered(meter, () => readJsonValue('"a"'))).toBe('a');
  });
});
