type Unit = 'day' | 'week' | 'month' | 'quarter' | 'year';

/** A range of days. `to` is the first day after the range. Dates are YYYY-MM-DD. */
export interface Span {
  from: string;
  to: string;
  /** The span has no end (`since 2025`). `to` is only the day after today; planned events lie beyond it. */
  isOpen?: true;
}

/** The date as YYYY-MM-DD; null if it does not exist, such as 31 February. */
export function dayOf(year: number, month: number, day: number): string | null {
  const isDay = month >= 1 && month <= 12 && day >= 1 && dateOf(year, month, day) < dateOf(year, month + 1);
  return isDay ? dateOf(year, month, day) : null;
}

export function dateOf(year: number, month = 1, day = 1): string {
  const date = new Date(Date.UTC(2000, month - 1, day));
  date.setUTCFullYear(year + Math.floor((month - 1) / 12), (((month - 1) % 12) + 12) % 12, day);
  return date.toISOString().slice(0, 10);
}

export function yearSpan(year: number): Span {
  return { from: dateOf(year), to: dateOf(year + 1) };
}

/** The span of a quarter. A `quarter` outside 1 to 4, such as 0, 5 or -1, counts into the years before or after. */
export function quarterSpan(year: number, quarter: number): Span {
  return { from: dateOf(year, quarter * 3 - 2), to: dateOf(year, quarter * 3 + 1) };
}

/** The span of a month. A `month` outside 1 to 12, such as 0, 13 or -1, counts into the years before or after. */
export function monthSpan(year: number, month: number): Span {
  return { from: dateOf(year, month), to: dateOf(year, month + 1) };
}

export function daySpan(date: string, days = 1): Span {
  return { from: date, to: addDays(date, days) };
}

/** The ISO week, from Monday to Sunday, that contains `date`. */
export function weekSpan(date: string): Span {
  const weekday = (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7;
  const monday = addDays(date, -weekday);
  return { from: monday, to: addDays(monday, 7) };
}

export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** The span of the last `count` units up to and including today. */
export function lastUnits(today: string, count: number, unit: Unit): Span {
  const to = addDays(today, 1);
  const [year, month, day] = today.split('-').map(Number) as [number, number, number];
  switch (unit) {
    case 'day':
      return { from: addDays(to, -count), to };
    case 'week':
      return { from: addDays(to, -7 * count), to };
    case 'month':
      return { from: addDays(clampedDate(year, month - count, day), 1), to };
    case 'quarter':
      return { from: addDays(clampedDate(year, month - 3 * count, day), 1), to };
    case 'year':
      return { from: addDays(clampedDate(year - count, month, day), 1), to };
    default:
      return unit satisfies never;
  }
}

/** The date as YYYY-MM-DD, with the day cut to the length of the month: the 31st of a month with 30 days becomes the 30th. */
function clampedDate(year: number, month: number, day: number): string {
  const last = Number(addDays(dateOf(year, month + 1), -1).slice(8));
  return dateOf(year, month, Math.min(day, last));
}

/** Today's date in an IANA zone, as YYYY-MM-DD. */
export function todayIn(timezone: string): string {
  // Skip the formatter for UTC: every query asks for today's date, and making a formatter takes half a millisecond.
  if (timezone === 'UTC') return new Date().toISOString().slice(0, 10);
  return new Intl.DateTimeFormat('en-CA', { timeZone: timezone, dateStyle: 'short' }).format(new Date());
}
