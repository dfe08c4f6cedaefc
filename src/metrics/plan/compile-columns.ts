import { type Value } from '../patterns/metric-pattern.js';
import { levelOf } from './check-axes.js';
import { type TimePlan } from './compile-time.js';
import { columnsOf, type ColumnSql, type ValueColumn } from './compile-value.js';
import { type MetricRequest } from './metric-request.js';
import { type Scan } from './plan-metric.js';
import { bitOf } from './select-groups.js';
import { type SqlAssembly } from './sql-assembly.js';

/**
 * Adds a part to `parts` that gives each row, in additional columns, the totals by which its values are divided. Rows and totals are in one
 * relation and differ by `level`. Window functions match rows with totals by the keys that both have, so NULL keys match too.
 * @returns the name of the part
 */
export function spreadTotals(
  values: Value[],
  scans: Scan[],
  keys: string[],
  request: MetricRequest,
  source: string,
  assembly: SqlAssembly,
  parts: string[],
): string {
  const { quote } = assembly.dialect;
  const totals = new Map<string, string>();
  for (const column of values.flatMap(columnsOf)) {
    const level = totalLevel(column, scans, request);
    if (level === 0) continue;
    const dimensions = keys.filter(key => key.startsWith('"d'));
    const kept = keys.filter(key => !dimensions.includes(key) || !(level & bitOf(dimensions.indexOf(key), dimensions.length)));
    const over = kept.length > 0 ? `PARTITION BY ${kept.join(', ')}` : '';
    totals.set(totalName(column, level), `MAX(CASE WHEN "level" = ${level} THEN ${quote(column.name)} END) OVER (${over})`);
  }
  const spread = assembly.part('t');
  const list = ['*', ...[...totals].map(([name, sql]) => `${sql} AS ${quote(name)}`)];
  parts.push(`${spread} AS (\n  SELECT ${list.join(', ')} FROM ${source}\n)`);
  return spread;
}

/** Returns a function that gives the SQL of a value's column over the rows of the result. */
export function sqlOfColumns(scans: Scan[], request: MetricRequest, time: TimePlan, isLevelled: boolean, assembly: SqlAssembly): ColumnSql {
  const { dayToLocal, isoWeek, later, quote } = assembly.dialect;
  return column => {
    const level = isLevelled ? totalLevel(column, scans, request) : 0;
    const name = quote(level === 0 ? column.name : totalName(column, level));
    const shift = scanOf(column, scans).axis.shift;
    if (time.grain !== 'week' || shift?.unit !== 'year') return name;
    // The 53rd week of a year has no counterpart in the year before.
    const start = dayToLocal('"period"');
    return `CASE WHEN ${isoWeek(time.weekStart === 'sunday' ? later(start, 1, 'day') : start)} < 53 THEN ${name} END`;
  };
}

function scanOf({ name }: ValueColumn, scans: Scan[]): Scan {
  return scans.find(scan => [...scan.columns.values()].some(column => column.name === name))!;
}

function totalLevel(column: ValueColumn, scans: Scan[], request: MetricRequest): number {
  return column.within ? levelOf(column.within, scanOf(column, scans), request) : 0;
}

function totalName({ name }: ValueColumn, level: number): string {
  return `${name}_${level}`;
}
