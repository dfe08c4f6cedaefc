import { type Bilingual } from '../../text/bilingual.js';
import { addDays, daySpan, lastUnits, monthSpan, quarterSpan, type Span, weekSpan, yearSpan } from '../../text/calendar.js';
import { type CalendarGrain } from '../formula/formula-tree.js';

const calendar = '(week|month|quarter|year)';
const form = new RegExp(
  `^(?:(today|yesterday)|(this|last)_${calendar}|last_([1-9]\\d{0,3})_(day|week|month|quarter|year)s?|${calendar}_to_date)$`,
);

export const relativeRange = form;

export const relativeRangeForm: Bilingual = {
  zh: '应为 today、yesterday、this_month、last_month、last_30_days、year_to_date 之类',
  en: 'must be like today, yesterday, this_month, last_month, last_30_days or year_to_date',
};

/**
 * The days of a relative range: `last_month` is the calendar month before the current one, `last_30_days` and `month_to_date` end with
 * today.
 * @param today YYYY-MM-DD in the zone of the request
 */
export function resolveRange(range: string, today: string, weekStart: 'monday' | 'sunday'): Span {
  const [, day, which, period, count, unit, begun] = form.exec(range) ?? [];
  if (day !== undefined) return daySpan(day === 'today' ? today : addDays(today, -1));
  if (unit !== undefined) return lastUnits(today, Number(count), unit as CalendarGrain);
  if (begun !== undefined) return { from: periodOf(today, begun as CalendarGrain, 0, weekStart).from, to: addDays(today, 1) };
  return periodOf(today, period as CalendarGrain, which === 'last' ? -1 : 0, weekStart);
}

function periodOf(today: string, period: CalendarGrain, moved: number, weekStart: 'monday' | 'sunday'): Span {
  const [year, month] = today.split('-').map(Number) as [number, number];
  switch (period) {
    case 'day':
      return daySpan(addDays(today, moved));
    case 'week': {
      // A week that begins on Sunday is the ISO week of the next day, moved one day back.
      const shift = weekStart === 'sunday' ? 1 : 0;
      const week = weekSpan(addDays(today, 7 * moved + shift));
      return { from: addDays(week.from, -shift), to: addDays(week.to, -shift) };
    }
    case 'month':
      return monthSpan(year, month + moved);
    case 'quarter':
      return quarterSpan(year, Math.ceil(month / 3) + moved);
    case 'year':
      return yearSpan(year + moved);
    default:
      return period satisfies never;
  }
}
