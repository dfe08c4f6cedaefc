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

  it('reads texts with escapes, names among them, and refuses what has no end', () => {
    for (const text of ['', '"', '\\', '\\"', '\\\\', 'a\\', '\n\t"b"\\', '中"文', '\u0001', '[{,:}]']) {
      const json = JSON.stringify(text);
      expect(readJsonValue(json)).toBe(text);
      expect(readJsonValue(`[${json}, ${json}]`)).toEqual([text, text]);
      expect(readJsonValue(`{${json}: {${json} : [ ]}}`)).toEqual(new Map([[text, new Map([[text, []]])]]));
    }
    for (const broken of [
      '"',
      '"a',
      '"a\\"',
      '"a\\\\\\"',
      '{',
      '{"a"',
      '{"a":',
      '{"a":1',
      '{"a" 1}',
      '{a:1}',
      '{"a":1,}',
      '{"a":1 "b":2}',
      '',
    ])
      expect(() => readJsonValue(broken)).toThrow(SyntaxError);
  });

  it('reads a text of millions of escapes', () => {
    for (const text of ['\n'.repeat(5_000_000), '"'.repeat(5_000_000)]) {
      expect(readJsonValue(JSON.stringify(text)) === text).toBe(true);
      expect((readJsonValue(JSON.stringify({ text })) as Map<string, string>).get('text') === text).toBe(true);
    }
  });

  /** The work units spent on reading a text. Fails as soon as they exceed `most`. */
  const spentOn = (text: string, most = Infinity): number => {
    let spent = 0;
    const spend = (units: number): void => { if ((spent += units) > most) throw new Error('too much'); }; // prettier-ignore
    metered({ spend }, () => readJsonValue(text));
    return spent;
  };

  it.each([
    ['a list of numbers', `[${'1,'.repeat(1_000)}1]`],
    ['a list of lists', `[${'[],'.repeat(1_000)}[]]`],
    ['a map', `{${Array.from({ length: 1_000 }, (_, i) => `"${i}":1`).join()}}`],
    ['a list of maps in a map', `{"a":[${'{},'.repeat(1_000)}{}]}`],
  ])('counts %s as it is read, by its characters', (_, text) => {
    expect(spentOn(text)).toBeGreaterThanOrEqual(1.25 * text.length);
    expect(() => spentOn(text, 1_000)).toThrow('too much');
    // The reader stops before the end: the end of this text is missing, which would be a SyntaxError.
    expect(() => spentOn(text.slice(0, -1), 1_000)).toThrow('too much');
  });

  it('counts a long text by a quarter of its characters, and none that is short and alone', () => {
    const text = 'x'.repeat(100_000);
    for (const json of [`"${text}"`, `{"a": "${text}"}`, `["${text}"]`]) {
      expect(spentOn(json)).toBeGreaterThanOrEqual(25_000);
      expect(spentOn(json)).toBeLessThan(25_100);
    }
    expect(spentOn(`"${'x'.repeat(1_000)}"`)).toBe(0);
  });
});
