import { type Grain } from '../formula/formula-tree.js';

const monthsIn: Partial<Record<Grain, number>> = { month: 1, quarter: 3, year: 12 };

/**
 * The periods from the first to the last, in order, also those without a row: a line must not run across them. What is no date comes
 * last. Beyond `most` periods it gives up, and the caller finds too many.
 */
export function fillPeriods(found: readonly unknown[], grain: string, most: number): unknown[] {
  const dates = found.filter((value): value is string => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)).sort();
  const others = found.filter(value => !dates.includes(value as string));
  const last = dates.at(-1);
  if (last === undefined) return others;
  const filled: string[] = [];
  for (let date = dates[0]!; date <= last && filled.length <= most; date = nextPeriod(date, grain as Grain)) filled.push(date);
  // Periods that do not begin where others do would be lost.
  const all = new Set([...filled, ...dates]);
  return [...[...all].sort(), ...others];
}

function nextPeriod(date: string, grain: Grain): string {
  const next = new Date(`${date}T00:00Z`);
  const months = monthsIn[grain];
  if (months === undefined) next.setUTCDate(next.getUTCDate() + (grain === 'week' ? 7 : 1));
  else next.setUTCMonth(next.getUTCMonth() + months);
  return next.toISOString().slice(0, 10);
}
