import { timeColumn } from './compile-relation.js';
import { type BoundTime } from './metric-binding.js';
import { type GroupKey } from './select-groups.js';
import { type SqlAssembly } from './sql-assembly.js';

/**
 * An hour is an hour on the clock of a time zone. When the clock goes back, an hour occurs twice, so the text of an hour has its
 * offset: `2024-10-27T02:00+01:00`. If the clock goes back by half an hour only, the second of the two hours lasts half an hour.
 * Lengths in hours are elapsed time. Lengths in days and longer units follow the calendar.
 */

interface Range {
  /** The start of the range as a local time; null if it has none. */
  from: string | null;
  timezone: string;
}

/** SQL of the time column as a moment. A local time that occurs twice becomes its second moment. */
export function momentColumn(time: BoundTime, assembly: SqlAssembly): string {
  const { atZone, quote } = assembly.dialect;
  return time.type === 'timestamptz' ? quote(timeColumn) : atZone(quote(timeColumn), assembly.bind(time.timezone, 'text'));
}

/** The key that groups rows by hour. */
export function hourKey(plan: Range, time: BoundTime, assembly: SqlAssembly): GroupKey {
  const moment = momentColumn(time, assembly);
  return { sql: assembly.ifFinite(assembly.dialect.quote(timeColumn), hourOf(moment, plan, assembly)), name: 'period' };
}

/** A FROM item that lists the hours that overlap the span between two moments. `start` is SQL of the text of an hour. */
export function hoursBetween(first: string, end: string, plan: Range, assembly: SqlAssembly): { from: string; start: string } {
  const { quarterOf } = assembly.dialect;
  const series = `generate_series(${quarterOf(first)}, ${end} - interval '1 microsecond', interval '15 minutes') AS q (moment)`;
  return { from: `(SELECT DISTINCT ${hourOf('q.moment', plan, assembly)} AS hour FROM ${series}) AS s`, start: 's.hour' };
}

export function justAfter(moment: string): string {
  return `(${moment} + interval '1 microsecond')`;
}

function hourOf(moment: string, { from, timezone }: Range, assembly: SqlAssembly): string {
  const { atZone, hourText } = assembly.dialect;
  const local = atZone(moment, assembly.bind(timezone, 'text'));
  return assembly.withEra(hourText(local, moment), local, from);
}
