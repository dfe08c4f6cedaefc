import { outlineKept, referencesIn } from './keep-outlines.js';

describe('outlineKept', () => {
  it('tells the patterns around each reference, the outermost first', () => {
    expect(outlineKept('SHARE(1 + [a]) / [b]')).toEqual({
      patterns: ['ratio', 'share_of_total', 'arithmetic'],
      references: [
        { name: 'a', position: 11, around: ['ratio', 'share_of_total', 'arithmetic'] },
        { name: 'b', position: 18, around: ['ratio'] },
      ],
    });
    expect(outlineKept('CONVERSION([a] -> [b] BY x)').references.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('keeps the outlines of the formulas of a whole graph', () => {
    const formula = (i: number) => `[a] / [b] + SUM("${'x'.repeat(3_900)}") + ${i}`;
    const outline = outlineKept(formula(0));
    for (let i = 1; i < 1_000; i++) outlineKept(formula(i));
    expect(outlineKept(formula(0))).toBe(outline);
  });

  it('finds no references in a formula that cannot be read', () => {
    expect(referencesIn('[a] +')).toEqual([]);
    expect(() => outlineKept('[a] +')).toThrow('FormulaParseError');
  });
});
