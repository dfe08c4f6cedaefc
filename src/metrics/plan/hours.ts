import { timeColumn } from './compile-relation.js';
import { type BoundTime } from './metric-binding.js';
import { type GroupKey } from './select-groups.js';
import { type SqlAssembly } from './sql-assembly.js';

/*
 * Hours are those of the clock of a zone. One hour comes twice when the clock goes back, so an hour is known by its text with its
 * offset: `2024-10-27T02:00+01:00`. If the clock goes back by half an hour only, the second one lasts half an hour.
 * Lengths in hours are elapsed time. Lengths in days and more follow the calendar.
 */

/** The time of a row as a moment. A local time that comes twice is read as the second one. */
export function momentColumn(time: BoundTime, assembly: SqlAssembly): string {
  const { atZone, quote } = assembly.dialect;
  return time.type === 'timestamptz' ? quote(timeColumn) : atZone(quote(timeColumn), assembly.bind(time.timezone, 'text'));
}

/** The hour of a row. */
export function hourKey(timezone: string, time: BoundTime, assembly: SqlAssembly): GroupKey {
  const moment = momentColumn(time, assembly);
  return { sql: assembly.ifFinite(assembly.dialect.quote(timeColumn), hourOf(moment, timezone, assembly)), name: 'period' };
}

/** The hours that have a part between two moments. */
export function hoursBetween(first: string, end: string, timezone: string, assembly: SqlAssembly): { from: string; start: string } {
  const { quarterOf } = assembly.dialect;
  const series = `generate_series(${quarterOf(first)}, ${end} - interval '1 microsecond', interval '15 minutes') AS q (moment)`;
  return { from: `(SELECT DISTINCT ${hourOf('q.moment', timezone, assembly)} AS hour FROM ${series}) AS s`, start: 's.hour' };
}

export function justAfter(moment: string): string {
  return `(${moment} + interval '1 microsecond')`;
}

function hourOf(moment: string, timezone: string, assembly: SqlAssembly): string {
  const { atZone, hourText } = assembly.dialect;
  return hourText(atZone(moment, assembly.bind(timezone, 'text')), moment);
}
