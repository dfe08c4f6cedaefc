import { hourTextIn } from '../../text/time-zone.js';
import { type Grain } from '../formula/formula-tree.js';

const monthsIn: Partial<Record<Grain, number>> = { month: 1, quarter: 3, year: 12 };
const forms = { day: /^\d{4}-\d\d-\d\d$/, hour: /^\d{4}-\d\d-\d\dT\d\d:\d\d[+-]\d\d:\d\d$/ };
const quarterMs = 15 * 60_000;

/**
 * Returns all periods from the first to the last found period, in order. Periods without a row are included, so that a line has a gap
 * there. Values that are not periods come last. Filling stops after more than `most` periods, and the caller refuses the chart.
 */
export function fillPeriods(found: readonly unknown[], grain: string, most: number, timezone = 'UTC'): unknown[] {
  const isHourly = grain === 'hour';
  const form = isHourly ? forms.hour : forms.day;
  const inOrder = (periods: string[]): string[] => periods.sort((a, b) => Date.parse(a) - Date.parse(b));
  const dates = inOrder(found.filter((value): value is string => typeof value === 'string' && form.test(value)));
  const known = new Set<unknown>(dates);
  const others = found.filter(value => !known.has(value));
  const [first, last] = [dates[0], dates.at(-1)];
  if (first === undefined || last === undefined) return others;
  const filled = isHourly ? hoursFrom(first, last, most, timezone) : datesFrom(first, last, grain as Grain, most);
  // Found periods that begin elsewhere than the filled periods are kept.
  return [...inOrder([...new Set([...filled, ...dates])]), ...others];
}

function datesFrom(first: string, last: string, grain: Grain, most: number): string[] {
  const filled: string[] = [];
  for (let date = first; date <= last && filled.length <= most; date = nextPeriod(date, grain)) filled.push(date);
  return filled;
}

/**
 * The texts of the hours from the first to the last. The loop steps by 15 minutes, because in every time zone an hour begins at a full
 * quarter of an hour of UTC.
 */
function hoursFrom(first: string, last: string, most: number, timezone: string): string[] {
  const filled = new Set<string>();
  const textOf = hourTextIn(timezone);
  for (let ms = Date.parse(first); ms <= Date.parse(last) && filled.size <= most; ms += quarterMs) filled.add(textOf(ms));
  return [...filled];
}

function nextPeriod(date: string, grain: Grain): string {
  const next = new Date(`${date}T00:00Z`);
  const months = monthsIn[grain];
  if (months === undefined) next.setUTCDate(next.getUTCDate() + (grain === 'week' ? 7 : 1));
  else next.setUTCMonth(next.getUTCMonth() + months);
  return next.toISOString().slice(0, 10);
}
