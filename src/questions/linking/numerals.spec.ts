import { numeralPattern, readAmount, readNumeral } from './numerals.js';

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
    ['twenty', null],
    ['万', null],
    ['', null],
  ])('reads %j as %s', (text, value) => {
    expect(readNumeral(text)).toBe(value);
  });

  it('reads everything that the pattern matches', () => {
    const numeral = new RegExp(`^${numeralPattern}$`);
    expect(['9999', '一百二十', 'twelve'].every(text => numeral.test(text) && readNumeral(text) !== null)).toBe(true);
    expect(['10000', '一千', 'zero'].some(text => numeral.test(text))).toBe(false);
  });
});

describe('readAmount', () => {
  it.each([
    ['12.5', 12.5],
    ['三百', 300],
    ['两千零五十', 2050],
    ['一亿两千万', 120_000_000],
    ['十五万', 150_000],
    ['two', 2],
    ['3万', 30_000],
    ['1.1万', 11_000],
    ['2 千万', 20_000_000],
    ['2.5 million', 2_500_000],
    ['0.1', 0.1],
    ['一百五', null],
    ['三五', null],
    ['万', null],
    ['十百', null],
  ])('reads %j as %s', (text, value) => {
    expect(readAmount(text)).toBe(value);
  });
});
