import { isStopWord, carriesMeaning, withoutStopWords } from './stop-words.js';

describe('isStopWord', () => {
  it.each([
    ['the', true],
    ['的', true],
    ['请问有', true],
    ['华东', false],
    ['theme', false],
  ])('answers for %s: %s', (word, is) => {
    expect(isStopWord(word)).toBe(is);
  });
});

describe('withoutStopWords', () => {
  it.each([
    ['请问华东的客户', ['华东', '客户']],
    ['the price of tea', ['price', 'tea']],
    ['是什么', []],
  ])('leaves of %s: %j', (text, words) => {
    expect(withoutStopWords(text)).toEqual(words);
  });
});

describe('carriesMeaning', () => {
  it.each([
    ['火星', true],
    ['7', true],
    ['火', true],
    ['空', true],
    ['又', true],
    ['以', true],
    ['main', true],
    ['向', false],
    ['该', false],
    ['购买', false],
    ['purchased', false],
  ])('answers for %s: %s', (word, may) => {
    expect(carriesMeaning(word)).toBe(may);
  });
});
