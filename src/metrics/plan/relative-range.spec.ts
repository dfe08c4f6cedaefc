import { relativeRange, resolveRange } from './relative-range.js';

const today = '2024-03-31'; // a Sunday

describe('resolveRange', () => {
  it.each([
    ['today', '2024-03-31', '2024-04-01'],
    ['yesterday', '2024-03-30', '2024-03-31'],
    ['this_week', '2024-03-25', '2024-04-01'],
    ['last_week', '2024-03-18', '2024-03-25'],
    ['this_month', '2024-03-01', '2024-04-01'],
    ['last_month', '2024-02-01', '2024-03-01'],
    ['this_quarter', '2024-01-01', '2024-04-01'],
    ['last_quarter', '2023-10-01', '2024-01-01'],
    ['this_year', '2024-01-01', '2025-01-01'],
    ['last_year', '2023-01-01', '2024-01-01'],
    ['last_30_days', '2024-03-02', '2024-04-01'],
    ['last_1_day', '2024-03-31', '2024-04-01'],
    ['last_1_month', '2024-03-01', '2024-04-01'],
    ['week_to_date', '2024-03-25', '2024-04-01'],
    ['month_to_date', '2024-03-01', '2024-04-01'],
    ['year_to_date', '2024-01-01', '2024-04-01'],
  ])('resolves %s', (range, from, to) => {
    expect(relativeRange.test(range)).toBe(true);
    expect(resolveRange(range, today, 'monday')).toEqual({ from, to });
  });

  it('begins weeks on the day of the request', () => {
    expect(resolveRange('this_week', today, 'sunday')).toEqual({ from: '2024-03-31', to: '2024-04-07' });
    expect(resolveRange('last_week', today, 'sunday')).toEqual({ from: '2024-03-24', to: '2024-03-31' });
  });

  it.each(['last_0_days', 'next_month', 'last_30', 'day_to_date', 'this_day', 'last_99999_days', 'last_month '])('refuses %j', range =>
    expect(relativeRange.test(range)).toBe(false),
  );
});
