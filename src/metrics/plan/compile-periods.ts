import { type CompiledScan, type PeriodSource } from './scan-context.js';
import { maxFilledPeriods, momentOf, type TimePlan } from './compile-time.js';
import { hoursBetween, justAfter } from './hours.js';
import { type SqlAssembly } from './sql-assembly.js';

export interface StatementPeriods extends PeriodSource {
  /** SQL of the condition that the rows span more periods than are computed. Undefined if the request limits the periods. */
  tooMany?: string;
}

/**
 * The periods of a statement, for scans with a window or a shift, which for a period aggregate other rows than those of the period. If the
 * range has no start, the periods begin with the first row of all scans. If it has no end, they reach to the last row. Null if no scan
 * needs the periods.
 * @param parts the parts of the WITH list, to which a part with the first and the last time of the rows is added
 */
export function compilePeriods(scans: CompiledScan[], time: TimePlan, assembly: SqlAssembly, parts: string[]): StatementPeriods | null {
  const { grain, from, to, weekStart } = time;
  if (grain === null || scans.every(scan => scan.joining === null)) return null;
  const { isFinite, later, periods, startOf } = assembly.dialect;
  const isHourly = grain === 'hour';
  const bound = (value: string): string => (isHourly ? momentOf(value, time.timezone, assembly) : assembly.bind(value, 'timestamp'));
  const first = (value: string): string => (isHourly ? value : startOf(value, grain, weekStart));
  const listed = (first: string, end: string): { from: string; start: string } =>
    isHourly ? hoursBetween(first, end, time, assembly) : periods(first, end, grain);
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
