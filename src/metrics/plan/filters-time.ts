import { namedColumns } from './metric-binding.js';
import { type MetricRequest } from './metric-request.js';
import { type Scan } from './plan-metric.js';
import { type SqlAssembly } from './sql-assembly.js';

/**
 * Whether a filter or the filter clause reads the time column of a scan that has windows or is compared with another period. Such a filter
 * also removes rows from the windows and from the other period, whereas `time.from` and `time.to` only bound the periods of the answer.
 * @param assembly the assembly that has guarded the expressions of the scans
 */
export function filtersTime(scans: readonly Scan[], { filters }: Pick<MetricRequest, 'filters'>, assembly: SqlAssembly): boolean {
  return scans.some(({ binding, axis, clause }) => {
    const names = [...new Set([...filters.map(({ field }) => field), ...(clause?.columns ?? []).map(([, name]) => name)])];
    if (!binding.time || !(axis.window ?? axis.shift) || names.length === 0) return false;
    const named = namedColumns(binding);
    const readBy = (expression: string) =>
      assembly.judge(binding, expression).columns.map(([qualifier, name]) => JSON.stringify([qualifier ?? binding.fact.alias, name]));
    const times = new Set(readBy(binding.time.expression));
    return names.some(name => readBy(named.get(name)!.expression).some(column => times.has(column)));
  });
}
