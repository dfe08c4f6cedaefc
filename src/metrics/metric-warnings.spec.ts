import { addDays, todayIn } from '../text/calendar.js';
import { warningsOf } from './metric-warnings.js';

type Result = Parameters<typeof warningsOf>[0];

const compared = {
  columns: [{ name: 'value', role: 'value' }],
  flags: [],
  axes: [{ shift: { count: 1, unit: 'month' } }],
  collated: { inJoin: false, inDistinctCount: false, dimensions: [] },
  time: { grain: 'day', from: null, to: null, timezone: 'UTC', weekStart: 'monday' },
} as unknown as Result;
const codesOf = (...periods: string[]) =>
  warningsOf(
    compared,
    periods.map(period => [period, '1']),
  ).map(({ code }) => code);

describe('warningsOf', () => {
  it('tells of days whose month before is shorter, and of the day that is not over', () => {
    expect(codesOf('2024-03-28', '2024-05-30')).toEqual([]);
    expect(codesOf('2024-03-31', '2024-03-31')).toEqual(['CLAMPED_BASE']);
    expect(codesOf(addDays(todayIn('UTC'), 1))).not.toContain('INCOMPLETE_PERIOD');
    expect(codesOf(todayIn('UTC'))).toContain('INCOMPLETE_PERIOD');
  });

  it('tells where texts are compared by bytes that their source compares by a collation', () => {
    const result = {
      ...compared,
      time: { ...compared.time, grain: null },
      axes: [],
      columns: [{ name: 'code', role: 'dimension' }, ...compared.columns],
    } as Result;
    const told = (collated: Partial<Result['collated']>, ...codes: (string | null)[]) =>
      warningsOf(
        { ...result, collated: { ...result.collated, ...collated } },
        codes.map(code => [code, '1']),
      ).map(({ code, message }) => `${code} ${message}`);
    expect(told({}, 'de', 'DE')).toEqual([]);
    expect(told({ dimensions: ['code'] }, 'de', 'DK', null)).toEqual([]);
    expect(told({ dimensions: ['code'] }, 'Café', 'Cafe')).toHaveLength(1);
    expect(told({ dimensions: ['code'] }, 'de', 'DE')).toEqual([expect.stringMatching(/^SOURCE_COLLATION .*groups apart in code/)]);
    expect(told({ dimensions: ['code'] }, 'CN', 'CN ')).toHaveLength(1);
    expect(told({ inJoin: true, inDistinctCount: true }, 'de')).toEqual([expect.stringMatching(/do not meet in a join; a distinct count/)]);
  });

  it('tells of rows without a period, and refuses periods that no four digits name', () => {
    const judged = (grain: string | null, ...periods: (string | null)[]) =>
      warningsOf(
        { ...compared, axes: [], time: { ...compared.time, grain } } as unknown as Result,
        periods.map(period => [period, '1']),
      ).map(({ code }) => code);
    expect(judged('year', '2024-01-01', null)).toEqual(['NO_PERIOD']);
    expect(judged('hour', '2024-10-27T02:00+01:00')).toEqual([]);
    expect(judged(null, null)).toEqual([]);
    for (const period of ['0044-01-01 BC', '12024-01-01', '0044-03-15T12:00+00:00 BC'])
      expect(() => judged('day', '2024-01-01', period)).toThrow(expect.objectContaining({ status: 422 }));
  });

  it('names a start of the range that the first week of the year 1 does not precede', () => {
    const refuse = (period: string, weekStart: string) => {
      try {
        return warningsOf({ ...compared, axes: [], time: { ...compared.time, grain: 'week', weekStart } } as unknown as Result, [
          [period, '1'],
        ]);
      } catch (error) {
        return JSON.stringify(error);
      }
    };
    // DuckDB writes the year before the year 1 as 0000.
    for (const period of ['0001-12-31 BC', '0000-12-31'])
      expect(refuse(period, 'sunday')).toMatch(/0000-12-31.*time.from, such as 0001-01-07,/);
    expect(refuse('0001-12-25 BC', 'monday')).toMatch(/time.from, such as 0001-01-01,/);
  });

  it('asks for the zone of the day once, however many periods there are', () => {
    const formats = jest.spyOn(Intl, 'DateTimeFormat');
    const rows = Array.from({ length: 1_000 }, (_, day) => [addDays('2020-01-01', day), '1']);
    const time = { ...compared.time, timezone: 'Asia/Shanghai' };
    warningsOf({ ...compared, time }, rows);
    expect(formats).toHaveBeenCalledTimes(1);
    formats.mockRestore();
  });
});
