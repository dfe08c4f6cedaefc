import { inBoth, joined } from './bilingual.js';

describe('a phrase', () => {
  it('is the same in both languages if it is plain text', () => {
    expect([inBoth('count'), inBoth({ zh: '数', en: 'number' })]).toEqual([
      { zh: 'count', en: 'count' },
      { zh: '数', en: 'number' },
    ]);
  });

  it('is joined with the Chinese first', () => {
    expect(joined({ zh: '数', en: 'number' })).toBe('数 / number');
  });
});
