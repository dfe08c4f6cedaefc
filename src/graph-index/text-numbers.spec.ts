import { TextNumbers } from './text-numbers.js';

describe('TextNumbers', () => {
  it('numbers texts in the order in which they come, equal ones once, also while its tables grow', () => {
    const numbers = new TextNumbers();
    const all = Array.from({ length: 50_000 }, (_, i) => `名 ${i}`);
    expect([...all, ...all].map(text => numbers.numberOf(text))).toEqual([...all.keys(), ...all.keys()]);
    expect(numbers.numberOf('')).toBe(50_000);
    expect([numbers.size, numbers.length]).toEqual([50_001, all.join('').length]);
  });
});
