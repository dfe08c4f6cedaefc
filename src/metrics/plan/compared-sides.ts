import { type Grain } from '../formula/formula-tree.js';
import { shiftOf } from './frames.js';
import { findDimension, type MetricBinding } from './metric-binding.js';
import { type MetricRequest } from './metric-request.js';
import { type Scan, type ScanAxis } from './plan-metric.js';
import { type SqlAssembly } from './sql-assembly.js';

/**
 * Flags on the rows of a comparison by dimensions. A row is compared with the row of the earlier period that has the same dimensions. So a
 * dimension that changes with the period leaves nothing to compare: the weekday, for instance, in a comparison with the day before.
 * - `SIDES_APART`: the row's period has rows of its own and of the earlier period, but no combination of values of `dimensions` occurs in
 *   both.
 * - `SIDES_MEET`: the combination of values of `dimensions` in the row occurs in both periods.
 * - `SIDE_SHIFTED`: the statement shows only the earlier period, so `dimensions` are those of the earlier period. Absent for a shift by
 *   whole weeks, which keeps the weekday.
 */
export type SideFlag =
  | { code: 'SIDES_APART'; dimensions: string[]; followTime: boolean }
  | { code: 'SIDES_MEET' }
  | { code: 'SIDE_SHIFTED'; dimensions: string[] };

export interface ComparedSides {
  /** The name of the part of the WITH list to read the rows from. */
  source: string;
  flags: { flag: SideFlag; sql: string }[];
}

/** Whether a statement compares the rows of a period with the rows of an earlier period by their dimensions. */
export function comparesByDimension(scans: readonly Scan[], { dimensions }: MetricRequest): boolean {
  return dimensions.length > 0 && scans.some(({ axis }) => axis.shift) && scans.some(({ axis }) => !axis.shift);
}

/**
 * Adds a part to `parts` that shows for each row whether the values of the checked dimensions occur on both sides of the comparison. If
 * some dimensions follow the time column, only these are checked, otherwise all.
 * @param source the part with the rows, and with the columns `own` and `earlier` that `compileStack` adds
 */
export function compareSides(
  scans: readonly Scan[],
  request: MetricRequest,
  source: string,
  isLevelled: boolean,
  grain: Grain | null,
  assembly: SqlAssembly,
  parts: string[],
): ComparedSides {
  if (request.dimensions.length === 0 || !scans.some(({ axis }) => axis.shift)) return { source, flags: [] };
  const bindings = [...new Set(scans.map(({ binding }) => binding))];
  const timed = request.dimensions.map(name => bindings.some(binding => followsTime(name, binding, assembly)));
  const followTime = timed.includes(true);
  const names = request.dimensions.filter((_, index) => timed[index] || !followTime);
  if (!comparesByDimension(scans, request))
    return {
      source,
      flags:
        followTime && !scans.every(({ axis }) => isWholeWeeks(axis, grain))
          ? [{ flag: { code: 'SIDE_SHIFTED', dimensions: names }, sql: 'TRUE' }]
          : [],
    };
  const period = grain !== null ? ['"period"'] : [];
  const kept = [...period, ...request.dimensions.flatMap((_, index) => (timed[index] || !followTime ? [`"d${index}"`] : []))];
  const over = (keys: string[]): string => `OVER (${keys.length > 0 ? `PARTITION BY ${keys.join(', ')}` : ''})`;
  const part = assembly.part('s');
  parts.push(
    `${part} AS (\n  SELECT *, MAX("own") ${over(kept)} + MAX("earlier") ${over(kept)} AS "sides" FROM ${source}${isLevelled ? ' WHERE "level" = 0' : ''}\n)`,
  );
  const all = over(period);
  return {
    source: part,
    flags: [
      {
        flag: { code: 'SIDES_APART', dimensions: names, followTime },
        sql: `(MAX("own") ${all} + MAX("earlier") ${all} = 2 AND MAX("sides") ${all} < 2)`,
      },
      { flag: { code: 'SIDES_MEET' }, sql: '("sides" = 2)' },
    ],
  };
}

function isWholeWeeks({ shift }: ScanAxis, grain: Grain | null): boolean {
  if (!shift) return false;
  const { count, unit } = shiftOf(shift, grain);
  return unit === 'week' || (unit === 'day' && count % 7 === 0);
}

/**
 * Whether a dimension is computed from the time column alone, or from a table that is joined by the time column alone, such as a calendar.
 * False for every dimension if the time is computed from several columns: one of them may be a status that chooses between two times.
 */
function followsTime(name: string, binding: MetricBinding, assembly: SqlAssembly): boolean {
  const dimension = findDimension(binding, name);
  if (!dimension || !binding.time) return false;
  const columnsOf = (text: string) =>
    assembly.judge(binding, text).columns.map(([qualifier, name]) => ({ table: qualifier ?? binding.fact.alias, name }));
  const keyOf = (column: { table: string; name: string }): string => JSON.stringify([column.table, column.name]);
  const tables = new Set<string>();
  const columns = new Set(columnsOf(binding.time.expression).map(keyOf));
  if (columns.size !== 1) return false;
  const follow = (texts: string[]): boolean => {
    const read = texts.flatMap(columnsOf);
    return read.length > 0 && read.every(column => columns.has(keyOf(column)) || tables.has(column.table));
  };
  for (const { alias, on } of binding.joins) {
    // The key of a joined table is unique. So the table follows the time if the columns on one of the two sides of its join do.
    if (!follow(on.map(([outer]) => outer)) && !follow(on.map(([, key]) => key))) continue;
    tables.add(alias);
    for (const column of on.flatMap(([outer]) => columnsOf(outer))) columns.add(keyOf(column));
  }
  return follow([dimension.expression]);
}
