import { TermNumbers } from './term-numbers.js';

describe('TermNumbers', () => {
  it('numbers terms in the order in which they come, and finds each again', () => {
    const numbers = new TermNumbers();
    const terms = Array.from({ length: 5_000 }, (_, i) => (i % 2 === 0 ? `词${i}` : `word${i}`));
    expect(terms.map(term => numbers.add(term))).toEqual(terms.map((_, i) => i));
    expect(numbers.texts).toEqual(terms);
    expect(numbers.size).toBe(terms.length);
    expect(terms.map(term => numbers.get(term))).toEqual(terms.map((_, i) => i));
    expect(numbers.get('word2')).toBeUndefined();
  });
});
