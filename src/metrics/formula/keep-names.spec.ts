import { namesIn } from './keep-names.js';

describe('namesIn', () => {
  it('keeps the names of the formulas of a whole graph', () => {
    const formula = (i: number) => `[a] / [b] + SUM("${'x'.repeat(3_900)}") + ${i}`;
    const names = namesIn(formula(0));
    expect(names).toEqual(['a', 'b']);
    for (let i = 1; i < 1_000; i++) namesIn(formula(i));
    expect(namesIn(formula(0))).toBe(names);
  });

  it('finds none in a formula that cannot be read', () => {
    expect(namesIn('[a] +')).toEqual([]);
  });
});
