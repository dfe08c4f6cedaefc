import { type CompiledScan, type PeriodSource } from './scan-context.js';
import { maxFilledPeriods, type TimePlan } from './compile-time.js';
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
  const bound = (value: string): string => assembly.bind(value, 'timestamp');
  if (from !== null && to !== null) {
    const list = periods(startOf(bound(from), grain, weekStart), bound(to), grain);
    return { from: list.from, start: list.start, parts: [] };
  }
  const extent = assembly.part('h');
  const days = scans.map(scan => scan.days).join(' UNION ALL ');
  const ends = [
    `${from === null ? startOf('MIN("day")', grain, weekStart) : startOf(bound(from), grain, weekStart)} AS "first"`,
    `${to === null ? later('MAX("day")', 1, 'day') : bound(to)} AS "end"`,
  ];
  parts.push(`${extent} AS (\n  SELECT ${ends.join(', ')}\n  FROM (${days}) AS d\n  WHERE ${isFinite('"day"')}\n)`);
  const last = later('"first"', maxFilledPeriods, grain);
  const list = periods('"first"', `LEAST("end", ${last})`, grain);
  return {
    from: `${extent} CROSS JOIN LATERAL ${list.from}`,
    start: list.start,
    parts: [...parts],
    tooMany: `COALESCE((SELECT "end" > ${last} FROM ${extent}), FALSE)`,
  };
}
