import { namedColumns } from './metric-binding.js';
import { type MetricRequest } from './metric-request.js';
import { type Scan } from './plan-metric.js';
import { type SqlAssembly } from './sql-assembly.js';

/**
 * Whether a filter goes by the time of rows that are put into windows, or compared with those of another period. It takes rows out of
 * those too, where `time.from` and `time.to` only bound the periods of the answer.
 * @param assembly has judged the expressions of the scans
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
