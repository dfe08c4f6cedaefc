import { type CompiledScan, type PeriodSource } from './scan-context.js';
import { maxFilledPeriods, momentOf, type TimePlan } from './compile-time.js';
import { hoursBetween, justAfter } from './hours.js';
import { type SqlAssembly } from './sql-assembly.js';

export interface StatementPeriods extends PeriodSource {
  /** The condition that rows lie so far apart that not all periods are there. Undefined if the request bounds them. */
  tooMany?: string;
}

/**
 * The periods of a statement, for scans that count other rows than their own: those of the range, and where it has no end, those
 * from the first row of all scans to the last. Null if no scan needs them.
 * @param parts the statement's WITH list, to which the extent of the rows is added
 */
export function compilePeriods(scans: CompiledScan[], time: TimePlan, assembly: SqlAssembly, parts: string[]): StatementPeriods | null {
  const { grain, from, to, weekStart } = time;
  if (grain === null || scans.every(scan => scan.joining === null)) return null;
  const { isFinite, later, periods, startOf } = assembly.dialect;
  const isHourly = grain === 'hour';
  const bound = (value: string): string => (isHourly ? momentOf(value, time.timezone, assembly) : assembly.bind(value, 'timestamp'));
  const first = (value: string): string => (isHourly ? value : startOf(value, grain, weekStart));
  const listed = (first: string, end: string): { from: string; start: string } =>
    isHourly ? hoursBetween(first, end, time.timezone, assembly) : periods(first, end, grain);
  if (from !== null && to !== null) {
    const list = listed(first(bound(from)), bound(to));
    return { from: list.from, start: list.start, parts: [] };
  }
  const extent = assembly.part('h');
  const days = scans.map(scan => scan.days).join(' UNION ALL ');
  const ends = [
    `${first(from === null ? 'MIN("day")' : bound(from))} AS "first"`,
    `${to === null ? (isHourly ? justAfter('MAX("day")') : later('MAX("day")', 1, 'day')) : bound(to)} AS "end"`,
  ];
  parts.push(`${extent} AS (\n  SELECT ${ends.join(', ')}\n  FROM (${days}) AS d\n  WHERE ${isFinite('"day"')}\n)`);
  const last = later('"first"', maxFilledPeriods, grain);
  const list = listed('"first"', `LEAST("end", ${last})`);
  return {
    from: `${extent} CROSS JOIN LATERAL ${list.from}`,
    start: list.start,
    parts: [...parts],
    tooMany: `COALESCE((SELECT "end" > ${last} FROM ${extent}), FALSE)`,
  };
}
