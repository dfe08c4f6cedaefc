import { SchemaError } from '../common/errors/api-error.js';
import { readSynonymsCsv } from './read-synonyms-csv.js';

const problems = (text: string): string[] => {
  try {
    readSynonymsCsv(text);
    return [];
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    return error.problems.map(({ loc, type }) => `${loc.join('.')} ${type}`);
  }
};

describe('readSynonymsCsv', () => {
  it('reads quotes, line ends of both kinds and a byte order mark', () => {
    const text = '\uFEFFkind,name,synonym\r\nproperty,单价,价格\r\n\nname,"Miller, ""Bob""",米勒\nlabel, 客户 ,"买\n家"';
    expect(() => readSynonymsCsv(text)).toThrow(SchemaError);
    expect(readSynonymsCsv(text.replace('"买\n家"', '买家'))).toMatchObject([
      { kind: 'property', name: '单价', synonym: '价格' },
      { kind: 'name', name: 'Miller, "Bob"', synonym: '米勒' },
      { kind: 'label', name: '客户', synonym: '买家' },
    ]);
  });

  it.each([
    ['', ['body.csv.1 csv_header']],
    ['name,kind,synonym\n', ['body.csv.1 csv_header']],
    ['kind,name,synonym\nproperty,a\nlabel,b,\nthing,c,d', ['body.csv.2 csv_fields', 'body.csv.3 csv_fields', 'body.csv.4 enum']],
    ['kind,name,synonym\nlabel,b,"c', ['body.csv.2 csv_quote']],
    [`kind,name,synonym\nlabel,b,${'c'.repeat(65)}`, ['body.csv.2 too_long']],
  ])('%j: says what is wrong in which line', (text, expected) => {
    expect(problems(text)).toEqual(expected);
  });

  it('reads no further than the bound, so that more lines take no longer', () => {
    const csv = (lines: number): string => `kind,name,synonym\n${'x\n'.repeat(lines)}`;
    const fastest = (text: string): number =>
      Math.min(
        ...Array.from({ length: 10 }, () => {
          const began = performance.now();
          expect(problems(text)).toEqual(['body.csv.2002 too_long']);
          return performance.now() - began;
        }),
      );
    const [few, many] = [csv(2_001), csv(90_000)];
    expect(fastest(many)).toBeLessThan(8 * fastest(few));
  });
});
