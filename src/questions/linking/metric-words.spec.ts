import { findMetricWords } from './metric-words.js';

const bounds = (text: string) =>
  findMetricWords(text).flatMap(({ meanings }) =>
    meanings.flatMap(meaning => (meaning.as === 'measure' && meaning.word.kind === 'bound' ? [meaning.word.value] : [])),
  );

describe('findMetricWords', () => {
  it.each([
    ['销售额20万以上', ['200000']],
    ['2024年,20万以上的地区', ['200000']],
    ['over 1,234,567.50', ['1234567.50']],
    ['123456789012345以上', ['123456789012345']],
    ['1234567890123456以上', []],
    ['over 1,2', []],
    ['over 1.2.3', []],
  ])('%s: reads an amount to its end or not at all', (text, values) => {
    expect(bounds(text)).toEqual(values);
  });

  // A pattern that tries every pair of first and last digit took seconds on these texts.
  it.each(['9'.repeat(2_000), '1,'.repeat(1_000), '9.'.repeat(1_000), ',999'.repeat(500)])(
    'reads nothing in a long row of digits',
    digits => {
      expect(bounds(`销售额${digits}`)).toEqual([]);
      expect(bounds(`销售额超过${digits}`)).toEqual([]);
    },
  );
});
