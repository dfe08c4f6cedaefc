import { type Period } from '../linking/meaning.js';
import { type Language } from '../../text/language.js';

/** Names of the periods: as a column, and in a sentence. */
export const periodNames: Record<Period, Record<Language, { column: string; spoken: string }>> = {
  year: { zh: { column: '年份', spoken: '年份' }, en: { column: 'year', spoken: 'year' } },
  quarter: { zh: { column: '季度', spoken: '季度' }, en: { column: 'quarter', spoken: 'quarter' } },
  month: { zh: { column: '月份', spoken: '月份' }, en: { column: 'month', spoken: 'month' } },
  week: { zh: { column: '周', spoken: '周（周一日期）' }, en: { column: 'week', spoken: 'week (from its Monday)' } },
  day: { zh: { column: '日期', spoken: '日期' }, en: { column: 'day', spoken: 'day' } },
  weekday: { zh: { column: '星期', spoken: '星期' }, en: { column: 'weekday', spoken: 'weekday' } },
};

const weekdays: Record<Language, string[]> = {
  zh: ['周一', '周二', '周三', '周四', '周五', '周六', '周日'],
  en: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
};

/** Cypher for the period of a date. The keys sort in the order of time: 2026, `2026-Q3`, `2026-08`, the Monday of a week. */
export function periodKey(period: Period, place: string, isDate: boolean): string {
  switch (period) {
    case 'year':
      return isDate ? `${place}.year` : place;
    case 'quarter':
      return `left(toString(${place}), 4) + '-Q' + toString(${place}.quarter)`;
    case 'month':
      return `left(toString(${place}), 7)`;
    case 'week':
      return `toString(date.truncate('week', ${place}))`;
    case 'day':
      return `left(toString(${place}), 10)`;
    case 'weekday':
      return `${place}.weekDay`;
    default:
      return period satisfies never;
  }
}

/** Cypher that turns the key `period` into the shown text: the name of a weekday, else the key itself. */
export function shownPeriod(period: Period, language: Language): string {
  return period === 'weekday' ? `[${weekdays[language].map(day => `'${day}'`).join(', ')}][period - 1]` : 'period';
}
