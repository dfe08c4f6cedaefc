import { COMMAS, GROUPED, INT, NUMERIC, SURE_COMMA, SURE_POINT, TEXT, UNSURE } from '../../files/csv-values.js';
import { judgeSigns, type NumberColumn } from './number-signs.js';

const column = (name: string, more: Partial<NumberColumn>): NumberColumn => ({
  name,
  kind: TEXT,
  signs: 0,
  isLossy: false,
  givenType: null,
  decimalSign: null,
  ...more,
});
const pieces = column('pieces', { kind: NUMERIC, signs: UNSURE });
const judge = (columns: NumberColumn[], delimiter = ';') => {
  const { changes, warnings } = judgeSigns(columns, delimiter.charCodeAt(0));
  return { types: columns.map((_, index) => changes.get(index)?.type ?? null), warnings: warnings.map(({ en }) => en) };
};

describe('judgeSigns', () => {
  it.each([
    ['a form with a decimal comma', column('price', { givenType: 'numeric', decimalSign: ',' }), ';'],
    ['decimal commas', column('price', { kind: COMMAS, signs: SURE_COMMA }), ';'],
    ['decimal commas of a file that commas separate', column('price', { kind: COMMAS, signs: SURE_COMMA | UNSURE }), ','],
    ['groups with decimal commas', column('price', { kind: GROUPED, signs: SURE_COMMA }), ','],
  ])('makes texts of doubtful points beside %s', (_, price, delimiter) => {
    const { types, warnings } = judge([price, pieces], delimiter);
    expect(types[1]).toBe('text');
    expect(warnings[0]).toMatch(/"(price|pieces)".*decimal\(\.,\)/);
  });

  it.each([
    ['a form with a decimal point', column('price', { givenType: 'numeric', decimalSign: '.' })],
    ['doubtful commas', column('price', { kind: COMMAS, signs: UNSURE })],
    ['points and commas that are both certain', column('price', { kind: GROUPED, signs: SURE_COMMA | SURE_POINT })],
    ['texts with commas', column('price', { signs: SURE_COMMA })],
    ['addresses', column('price', { kind: GROUPED })],
  ])('keeps doubtful points as decimal signs beside %s', (_, price) => {
    expect(judge([price, pieces]).types[1]).toBeNull();
  });

  it('warns of doubtful points that stay numbers', () => {
    const price = column('price', { givenType: 'numeric', decimalSign: ',' });
    const doubt = [expect.stringMatching(/"pieces".*pieces:decimal\(\.,\).*pieces:decimal\(\.\)/)];
    for (const others of [
      [price, { ...pieces, isLossy: true }],
      [price, column('pieces', { givenType: 'numeric(12,3)' })],
      [column('price', { givenType: 'text' }), pieces],
    ])
      expect(judge(others)).toEqual({ types: [null, null], warnings: doubt });
    for (const others of [
      [price, column('pieces', { givenType: 'integer' })],
      [price, column('pieces', { givenType: 'numeric', decimalSign: '.' })],
      [price, column('pieces', { kind: INT })],
      [price, column('pieces', { kind: NUMERIC, signs: SURE_POINT | UNSURE })],
    ])
      expect(judge(others).warnings).toEqual([]);
  });

  it('reads no comma as decimal sign beside certain decimal points', () => {
    const price = column('price', { kind: COMMAS, signs: SURE_COMMA });
    const { types, warnings } = judge([price, column('rate', { kind: NUMERIC, signs: SURE_POINT })]);
    expect(types).toEqual([null, null]);
    expect(warnings).toEqual([expect.stringMatching(/"price".*two ways/)]);
    expect(judge([price, column('note', { signs: SURE_POINT })]).types[0]).toBe('numeric');
  });

  it('names the forms that can read the column, and quotes a name with a comma', () => {
    const warningOf = (signs: number, name = 'n') => judge([column(name, { kind: GROUPED, signs })], ',').warnings[0]!;
    const formsIn = (warning: string) => [...warning.matchAll(/n:decimal\((.{1,2})\)/g)].map(([, form]) => form);
    expect(formsIn(warningOf(UNSURE))).toEqual([',', '.,', ' ,', ',.', "'.", '.']);
    expect(formsIn(warningOf(UNSURE | SURE_COMMA))).toEqual([',', '.,', ' ,']);
    expect(formsIn(warningOf(SURE_POINT))).toEqual([',.', "'.", '.']);
    expect(formsIn(warningOf(SURE_COMMA | SURE_POINT))).toEqual([]);
    expect(warningOf(SURE_COMMA | SURE_POINT)).toMatch(/no form reads together/);
    expect(warningOf(UNSURE, 'a,b')).toContain('"a,b":decimal(,)');
    expect(warningOf(UNSURE, ' a')).toContain('" a":decimal(,)');
  });

  it('warns of no digits in groups alone, which may be telephone numbers', () => {
    expect(judge([column('phone', { kind: GROUPED })]).warnings).toEqual([]);
  });

  it('names texts before numbers, and counts the columns that it does not name', () => {
    const decimals = Array.from({ length: 30 }, (_, index) => column(`d${index}`, { kind: COMMAS, signs: SURE_COMMA }));
    const { warnings } = judge([...decimals, pieces]);
    expect(warnings).toHaveLength(20);
    expect(warnings[0]).toContain('"pieces"');
    expect(warnings[19]).toContain('and 12 further columns');
    expect(judge(decimals.slice(0, 20)).warnings).toHaveLength(20);
  });
});
