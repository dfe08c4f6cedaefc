import { atOnce } from '../../text/steps.js';
import { havingOperators } from '../plan/metric-request.js';
import { type Condition, judgeRows } from './judge-rows.js';

const columns = [
  { name: '地区', role: 'dimension', type: 'string' },
  { name: 'value', role: 'value', type: 'decimal' },
] as const;
const judge = (values: unknown[], condition: Omit<Condition, 'by'>, truncated = false) =>
  atOnce(
    judgeRows(
      { columns: [...columns], rows: values.map((value, index) => [`r${index}`, value]), truncated },
      { by: 'value', ...condition },
    ),
  );
/** The operators for which the condition `value operator than` is met. */
const holding = (value: unknown, than: string) => havingOperators.filter(op => judge([value], { op, value: than }).held);

const [less, equal, more] = [
  ['!=', '<', '<='],
  ['=', '<=', '>='],
  ['!=', '>', '>='],
];

describe('judgeRows', () => {
  it.each([
    ['0.3', '0.3', equal],
    ['0.30', '0.3', equal],
    ['0.1', '0.10000000000000000000000001', less],
    // These two numbers are equal as doubles.
    ['9007199254740993', '9007199254740992', more],
    ['100000000000000000000000000000.01', '100000000000000000000000000000', more],
    ['-0.1', '-0.2', more],
    ['-0', '0', equal],
    ['0.00', '-0.0', equal],
    [3, '3.0', equal],
    [0.1, '0.1', equal],
    [0.1 + 0.2, '0.3', more],
    [1e21, '1000000000000000000000', equal],
    [1.5e-7, '0.00000015', equal],
    ['5', '1e+1', less],
    ['0.05', '0.5', less],
    ['-100', '-99.5', less],
    ['00120', '120.000', equal],
    ['1e-9999', '0', more],
  ])('compares %p with %p without rounding', (value, than, expected) => {
    expect(holding(value, than)).toEqual(expected);
  });

  it('compares the longest numbers of PostgreSQL without rounding', () => {
    const long = `-${'7'.repeat(131_072)}.${'3'.repeat(16_382)}`;
    expect(holding(`${long}3`, `${long}2`)).toEqual(less);
    expect(holding(`${long}0`, long)).toEqual(equal);
  });

  it('lets a missing value meet no condition', () => {
    expect(holding(null, '0')).toEqual([]);
    expect(judge([null, '7'], { op: '>', value: '5' })).toEqual({ held: true, columns: ['地区', 'value'], rows: [['r1', '7']] });
  });

  it('shows at most five rows, first of all those that meet the condition', () => {
    const values = ['1', '9', '2', '8', '7', '6', '5', '4'];
    expect(judge(values, { op: '>=', value: '4' }).rows.map(row => row[1])).toEqual(['9', '8', '7', '6', '5']);
    expect(judge(values, { op: '>', value: '9' })).toMatchObject({ held: false, rows: values.slice(0, 5).map((value, index) => [`r${index}`, value]) }); // prettier-ignore
    expect(judge([], { op: '!=', value: '0' })).toEqual({ held: false, columns: ['地区', 'value'], rows: [] });
  });

  it('shortens long texts', () => {
    const result = { columns: [...columns], rows: [['长'.repeat(300), '1']], truncated: false };
    const { rows } = atOnce(judgeRows(result, { by: 'value', op: '=', value: '1' }));
    expect(rows).toEqual([[`${'长'.repeat(200)}…`, '1']]);
  });

  it('decides from incomplete rows only if the rows that were read suffice', () => {
    expect(judge(['3', '2'], { op: '>', value: '5' }, true).held).toBe(false);
    expect(judge(['3', '2'], { op: '!=', value: '2' }, true).held).toBe(true);
    expect(() => judge(['3', '2'], { op: '=', value: '1' }, true)).toThrow(/more than 10000 rows/);
    expect(() => judge([null, null], { op: '>', value: '1' }, true)).toThrow(/more than 10000 rows/);
  });

  it('may pause before each row', () => {
    const result = { columns: [...columns], rows: Array.from({ length: 100 }, (_, n) => [`r${n}`, '1']), truncated: false };
    expect([...judgeRows(result, { by: 'value', op: '>', value: '5' })]).toHaveLength(100);
  });

  it('refuses a text with more digits than any number has (risk: seconds in one turn)', () => {
    expect(() => judge(['7'.repeat(150_001)], { op: '>', value: '1' })).toThrow(/not numbers/);
  });

  it('refuses values that are not numbers', () => {
    expect(() => judge(['2024-01-01'], { op: '>', value: '1' })).toThrow(/not numbers/);
  });
});
