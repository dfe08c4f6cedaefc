import { type Grain } from '../formula/formula-tree.js';
import { type Span } from '../patterns/metric-pattern.js';
import { type TimePlan } from './compile-time.js';
import { type ScanAxis } from './plan-metric.js';
import { type SqlAssembly } from './sql-assembly.js';

/** The rows that a scan on an axis counts for one period, as SQL of local times; of hours, see `hourFrame`. */
export interface Frame {
  /** The start of the period whose rows they are: the period itself, or an earlier one. */
  base(): string;
  /** Inclusive. Null for the rows of all time before `upper`. */
  lower(): string | null;
  /** Exclusive. */
  upper(): string;
  /** The first day of the period whose rows they are, and the day after its last one, both in the range. */
  days: { first(): string; end(): string };
}

/** An earlier period, in whole grains. A year of weeks has 52, since no week begins on the same day of every year. */
export function shiftOf({ count, unit }: Span, grain: Grain | null): { count: number; unit: Grain } {
  if (unit === 'period') return { count, unit: grain ?? 'day' };
  return grain === 'week' && unit === 'year' ? { count: 52 * count, unit: 'week' } : { count, unit };
}

/**
 * The frame of the period that begins at `start`; without a grain the range is the one period. A period that the range cuts is
 * compared with as much of the earlier one, unless the whole is asked for (metrics.md, pattern 8). The window of a period ends with its last day in the range, or
 * with its first.
 * @param day the day up to which rows count, where it is one of several of the period
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
  /** The rows of a total have whole periods where they are compared with whole ones. */
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
      // From 28 to 29 February is one day, and so it is a year before. At the end of a month the first of the next one tells more.
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
    return later(earlier(earliest(), window.from.count, window.from.unit as Grain), 1, 'day');
  };
  return { base, lower, upper: () => later(last(), 1, 'day'), days };
}
