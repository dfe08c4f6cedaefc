import { offsetAt, placeAt, placesIn, positionAt } from './place.js';

describe('placeAt', () => {
  it.each([
    ['', 0, 1, 1],
    ['abc', 2, 1, 3],
    ['a\nbc', 2, 2, 1],
    ['a\r\nbc', 4, 2, 2],
    ['a\rb', 2, 2, 1],
    ['a\n', 2, 2, 1],
    ['一\n二三', 3, 2, 2],
    ['🐉🐉 x', 5, 1, 4],
    ['🐉\n𠮷x', 5, 2, 2],
  ])('puts %j, offset %i, at line %i, column %i', (text, offset, line, column) => {
    expect(placeAt(text, offset)).toEqual({ line, column });
  });

  it('finds places in any order', () => {
    const placeOf = placesIn('a\nb\nc');
    expect([4, 0, 2].map(placeOf)).toEqual([
      { line: 3, column: 1 },
      { line: 1, column: 1 },
      { line: 2, column: 1 },
    ]);
  });
});

describe('positionAt', () => {
  it('counts characters from the start of the text', () => {
    expect(positionAt('🐉\n𠮷x', 5)).toBe(4);
    expect(positionAt('x', 0)).toBe(1);
  });
});

describe('offsetAt', () => {
  it('is the beginning of a position, at most the end of the text', () => {
    expect([1, 2, 4, 9].map(position => offsetAt('🐉\n𠮷x', position))).toEqual([0, 2, 5, 6]);
  });
});
