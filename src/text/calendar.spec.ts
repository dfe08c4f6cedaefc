import { addDays, dateOf, dayOf, daySpan, lastUnits, monthSpan, quarterSpan, type Span, weekSpan, yearSpan } from './calendar.js';

const written = ({ from, to }: Span): string => `${from}/${to}`;

describe('dayOf', () => {
  it.each([
    [2024, 2, 29, '2024-02-29'],
    [2025, 2, 29, null],
    [2025, 4, 31, null],
    [2025, 12, 31, '2025-12-31'],
    [2025, 13, 1, null],
    [2025, 0, 1, null],
    [2025, 1, 0, null],
  ])('reads %i-%i-%i as %s', (year, month, day, date) => {
    expect(dayOf(year, month, day)).toBe(date);
  });
});

describe('dateOf', () => {
  it('counts months over the ends of the year', () => {
    expect([dateOf(2025, 13), dateOf(2025, 0), dateOf(2025, -11)]).toEqual(['2026-01-01', '2024-12-01', '2024-01-01']);
  });

  it('takes a year of two digits as it is', () => {
    expect(dateOf(99, 5, 6)).toBe('0099-05-06');
  });
});

describe('a span', () => {
  it.each([
    ['a year', yearSpan(2024), '2024-01-01/2025-01-01'],
    ['a quarter', quarterSpan(2024, 4), '2024-10-01/2025-01-01'],
    ['the quarter before the first', quarterSpan(2024, 0), '2023-10-01/2024-01-01'],
    ['a month', monthSpan(2024, 12), '2024-12-01/2025-01-01'],
    ['a day', daySpan('2024-02-29'), '2024-02-29/2024-03-01'],
    ['three days', daySpan('2024-12-30', 3), '2024-12-30/2025-01-02'],
    ['the week of a Monday', weekSpan('2026-11-16'), '2026-11-16/2026-11-23'],
    ['the week of a Sunday', weekSpan('2026-11-22'), '2026-11-16/2026-11-23'],
  ])('ends on the first day after %s', (_, span, expected) => {
    expect(written(span)).toBe(expected);
  });
});

describe('addDays', () => {
  it('goes forwards and backwards over the ends of months and years', () => {
    expect([addDays('2024-02-28', 2), addDays('2025-01-01', -1)]).toEqual(['2024-03-01', '2024-12-31']);
  });
});

describe('lastUnits', () => {
  it.each([
    ['2026-11-20', 1, 'day', '2026-11-20/2026-11-21'],
    ['2026-11-20', 2, 'week', '2026-11-07/2026-11-21'],
    ['2026-11-20', 3, 'month', '2026-08-21/2026-11-21'],
    ['2026-03-31', 1, 'month', '2026-03-01/2026-04-01'],
    ['2026-03-31', 1, 'quarter', '2026-01-01/2026-04-01'],
    ['2024-02-29', 1, 'year', '2023-03-01/2024-03-01'],
  ] as const)('counts back from %s over %i %s: %s, with today', (today, count, unit, expected) => {
    expect(written(lastUnits(today, count, unit))).toBe(expected);
  });
});
