import { addDays, todayIn } from '../text/calendar.js';
import { warningsOf } from './metric-warnings.js';

type Result = Parameters<typeof warningsOf>[0];

const compared = {
  columns: [{ name: 'value', role: 'value' }],
  flags: [],
  axes: [{ shift: { count: 1, unit: 'month' } }],
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

  it('asks for the zone of the day once, however many periods there are', () => {
    const formats = jest.spyOn(Intl, 'DateTimeFormat');
    const rows = Array.from({ length: 1_000 }, (_, day) => [addDays('2020-01-01', day), '1']);
    const time = { ...compared.time, timezone: 'Asia/Shanghai' };
    warningsOf({ ...compared, time }, rows);
    expect(formats).toHaveBeenCalledTimes(1);
    formats.mockRestore();
  });
});
