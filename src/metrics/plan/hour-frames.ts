import { type Grain } from '../formula/formula-tree.js';
import { type Span } from '../patterns/metric-pattern.js';
import { timeColumn } from './compile-relation.js';
import { type TimePlan } from './compile-time.js';
import { type Frame } from './frames.js';
import { type ScanAxis } from './plan-metric.js';
import { type SqlAssembly } from './sql-assembly.js';

/**
 * The frame of the hour whose text is `start`, such as `2024-10-27T02:00+01:00`. `base` is also the text of an hour; the bounds are
 * moments. A shift by days or more may lead to an hour that the clock skips; then all members are NULL.
 */
export function hourFrame(start: string, { window, shift }: ScanAxis, { timezone, weekStart }: TimePlan, assembly: SqlAssembly): Frame {
  const { atZone, earlier, firstAtZone, hourText, hourToLocal, hourToMoment, later, startOf } = assembly.dialect;
  const zone = assembly.bind(timezone, 'text');
  const place = (): { local: string; moment: string } => {
    if (!shift) return { local: hourToLocal(start), moment: hourToMoment(start) };
    if (isElapsed(shift)) {
      const moment = earlier(hourToMoment(start), shift.count, 'hour');
      return { local: atZone(moment, zone), moment };
    }
    const local = earlier(hourToLocal(start), shift.count, shift.unit as Grain);
    return { local, moment: `CASE WHEN ${atZone(atZone(local, zone), zone)} = ${local} THEN ${atZone(local, zone)} END` };
  };
  const { local, moment } = place();
  const end = later(`(${moment})`, 1, 'hour');
  const lower = (): string | null => {
    if (!window) return `(${moment})`;
    if (window.from === 'start') return null;
    if ('startOf' in window.from) {
      const unit = window.from.startOf;
      return unit === 'hour' ? `(${moment})` : firstAtZone(startOf(local, unit, weekStart), zone);
    }
    const { count, unit } = window.from;
    if (isElapsed(window.from)) return earlier(end, count, 'hour');
    return firstAtZone(later(earlier(local, count, unit as Grain), 1, 'hour'), zone);
  };
  const base = (): string => (shift ? assembly.withEra(hourText(local, moment), local, null) : start);
  return { base, lower, upper: () => end, days: { first: () => start, end: () => end } };
}

/**
 * Conditions on the bare time column, so that the database can use an index. They begin a week too early and end a day too late, which is
 * more than any clock is moved. `hourFrame` selects the exact rows.
 */
export function hourBounds(
  { window, shift }: ScanAxis,
  { from, to }: TimePlan,
  raw: (local: string) => string,
  assembly: SqlAssembly,
): string[] {
  const { earlier, later, quote, startOf } = assembly.dialect;
  const back = (local: string, span: Span | undefined): string =>
    span ? earlier(local, span.count, isElapsed(span) ? 'hour' : (span.unit as Grain)) : local;
  const bound = (value: string): string => back(assembly.bind(value, 'timestamp'), shift);
  const first = (local: string): string => {
    if (!window || window.from === 'start') return local;
    return 'startOf' in window.from ? startOf(local, window.from.startOf, 'sunday') : back(local, window.from);
  };
  const column = quote(timeColumn);
  return [
    ...(from === null || window?.from === 'start' ? [] : [`${column} >= ${raw(earlier(first(bound(from)), 1, 'week'))}`]),
    ...(to === null ? [] : [`${column} < ${raw(later(bound(to), 1, 'day'))}`]),
  ];
}

function isElapsed({ unit }: Span): boolean {
  return unit === 'hour' || unit === 'period';
}
