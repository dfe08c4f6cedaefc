import { cut } from './cut.js';

describe('cut', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['𠮷𠮷𠮷', 3, '𠮷𠮷𠮷'],
    ['𠮷𠮷𠮷𠮷', 3, '𠮷𠮷…'],
    ['a'.repeat(100), 3, 'aa…'],
  ])('%s to %d characters is %s', (text, most, shown) => {
    expect(cut(text, most)).toBe(shown);
  });
});
