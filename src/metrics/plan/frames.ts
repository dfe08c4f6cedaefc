import { type Grain } from '../formula/formula-tree.js';
import { type Span } from '../patterns/metric-pattern.js';
import { type TimePlan } from './compile-time.js';
import { type ScanAxis } from './plan-metric.js';
import { type SqlAssembly } from './sql-assembly.js';

/**
 * The frame of a scan on an axis: the rows that it counts for one period. All members are SQL of local times; for the grain hour see
 * `hourFrame`.
 */
export interface Frame {
  /** The start of the period with the counted rows: the period itself, or an earlier period. */
  base(): string;
  /** First time of the counted rows, inclusive. Null for all rows before `upper`. */
  lower(): string | null;
  /** End of the counted rows, exclusive. */
  upper(): string;
  /** The first day of the period with the counted rows, and the day after its last day, as far as the range reaches. */
  days: { first(): string; end(): string };
}

/** The number of months in each unit that is made of whole months. */
export const monthsIn: Partial<Record<string, number>> = { month: 1, quarter: 3, year: 12 };

/**
 * How far back an earlier period lies, in a unit that fits the grain. For the grain week a year is 52 weeks, because a date falls on
 * another weekday each year.
 */
export function shiftOf({ count, unit }: Span, grain: Grain | null): { count: number; unit: Grain } {
  if (unit === 'period') return { count, unit: grain ?? 'day' };
  return grain === 'week' && unit === 'year' ? { count: 52 * count, unit: 'week' } : { count, unit };
}

/**
 * The frame of the period that begins at `start`. Without a grain the range is the only period. A period that the range cuts is compared
 * with an equally long part of the earlier period, unless `shift.whole` requests the whole earlier period. The window of a period ends with
 * the last day of the period in the range, or with its first day.
 * @param day the last day of the window, for the windows of each day of a period
 */
export function frameOf(start: () => string, { window, shift }: ScanAxis, plan: TimePlan, assembly: SqlAssembly, day?: string): Frame {
  const { dialect } = assembly;
  const { earlier, later, laterBy } = dialect;
  const { grain, from, to, weekStart, totalOf = null } = plan;
  const bound = (value: string): string => assembly.bind(value, 'timestamp');
  const before = (local: string): string => {
    if (!shift) return local;
    const { count, unit } = shiftOf(shift, grain ?? totalOf);
    return earlier(local, count, unit);
  };
  /**
   * The grain of the rows of a total, if the rows are compared with whole earlier periods; the total then covers whole periods as well.
   * Else null.
   */
  const whole = shift?.whole && totalOf !== null ? totalOf : null;
  const base = (): string => before(whole === null ? start() : dialect.startOf(start(), whole, weekStart));
  const first = (): string => {
    if (grain === null || from === null || shift?.whole) return base();
    return `CASE WHEN ${bound(from)} > ${start()} THEN ${laterBy(base(), start(), bound(from))} ELSE ${base()} END`;
  };
  const end = (): string => {
    if (grain === null) {
      if (!shift) return bound(to ?? '');
      if (whole !== null) {
        const last = dialect.startOf(bound(to ?? ''), whole, weekStart);
        return before(`CASE WHEN ${last} = ${bound(to ?? '')} THEN ${last} ELSE ${later(last, 1, whole)} END`);
      }
      // The end of the earlier range is the later of the shifted end and the day after the shifted last day. Example: the range of the
      // single day 28 February 2024 ends at 29 February. A year before, that end becomes 28 February 2023 and would leave no day. For
      // February 2024 a month before, the shifted end, 1 February, is the later one.
      return `GREATEST(${before(bound(to ?? ''))}, ${later(before(earlier(bound(to ?? ''), 1, 'day')), 1, 'day')})`;
    }
    const next = later(base(), 1, grain);
    if (to === null || shift?.whole) return next;
    const cut = `LEAST(${next}, ${laterBy(base(), start(), bound(to))})`;
    return `CASE WHEN ${bound(to)} < ${later(start(), 1, grain)} THEN ${cut} ELSE ${next} END`;
  };
  const days = { first, end };
  if (!window) return { base, lower: first, upper: end, days };

  const last = (): string => day ?? (window.day === 'FIRST' ? first() : earlier(end(), 1, 'day'));
  const earliest = (): string => day ?? (window.day === 'AVERAGE' ? first() : last());
  const lower = (): string | null => {
    if (window.from === 'start') return null;
    if ('startOf' in window.from) return dialect.startOf(earliest(), window.from.startOf, weekStart);
    const { count, unit } = window.from;
    const after = later(earlier(earliest(), count, unit as Grain), 1, 'day');
    // A window of months begins after the same day `count` months before its last day. By that rule, a window of one month that ends on 28
    // February would begin on 29 January. So for periods of months or longer it begins no earlier than `count` months before the day after
    // its last day: on 1 February.
    const isOfWholes = window.day !== 'AVERAGE' && unit in monthsIn && (grain ?? totalOf ?? 'month') in monthsIn;
    return isOfWholes ? `GREATEST(${after}, ${earlier(later(last(), 1, 'day'), count, unit as Grain)})` : after;
  };
  return { base, lower, upper: () => later(last(), 1, 'day'), days };
}
