import { numeralPattern, readNumeral } from './numerals.js';

describe('readNumeral', () => {
  it.each([
    ['12', 12],
    ['十', 10],
    ['十二', 12],
    ['二十', 20],
    ['两百零五', 205],
    ['一百二十三', 123],
    ['Twelve', 12],
    ['zero', 0],
    ['thirteen', null],
    ['万', null],
    ['', null],
  ])('of %j is %s', (text, value) => {
    expect(readNumeral(text)).toBe(value);
  });

  it('reads everything that the pattern matches', () => {
    const numeral = new RegExp(`^${numeralPattern}$`);
    expect(['9999', '一百二十', 'twelve'].every(text => numeral.test(text) && readNumeral(text) !== null)).toBe(true);
    expect(['10000', '一千', 'zero'].some(text => numeral.test(text))).toBe(false);
  });
});
