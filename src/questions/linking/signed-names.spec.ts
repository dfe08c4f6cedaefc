import { valuesAsSigned } from './signed-names.js';

const valuesOf = (texts: string[]) => texts.map(value => ({ label: '债券', property: '评级', value }));
const shown = (texts: string[], text: string, start: number, end: number) =>
  valuesAsSigned(valuesOf(texts), text, start, end).map(({ value }) => value);

describe('values that are alike apart from signs', () => {
  it('are the one that is written', () => {
    const ratings = ['AA', 'AA+', 'AA-'];
    expect(shown(ratings, 'rated aa', 6, 8)).toEqual(['AA']);
    expect(shown(ratings, 'rated aa+', 6, 8)).toEqual(['AA+']);
    expect(shown(ratings, 'rated aa- now', 6, 8)).toEqual(['AA-']);
    expect(shown(['AA+', 'AA-'], 'rated aa', 6, 8)).toEqual([]);
    expect(shown(['AA+'], 'rated aa', 6, 8)).toEqual(['AA+']);
    expect(shown(['AA', 'AA+'], 'rated aa-', 6, 8)).toEqual([]);
    expect(shown(['P2', 'P2+', 'P2-'], 'grade p2+?', 6, 8)).toEqual(['P2+']);
    expect(shown(['P2', 'P2+', 'P2-'], 'grade p2-?', 6, 8)).toEqual(['P2-']);
  });

  // Comparing each of the 20,000 values with every other takes hours.
  it('may be very many', () => {
    const spellings = Array.from({ length: 20_000 }, (_, i) => `Oslo${'.'.repeat(i % 50)}`);
    expect(shown(spellings, 'in oslo', 3, 7)).toHaveLength(20_000);
  });
});
