import { Pace } from '../common/turns/pace.js';
import { type MetricWarning, type ResultColumnResponse } from './execute.dto.js';
import { type AskedMetric } from './metric-planner.service.js';
import { type CompiledMetrics } from './plan/compile-metric.js';
import { roundTo } from './round-decimal.js';
import { toWireValue, wireTypeOf } from './wire-values.js';

/** The columns of a result. If no rows were read, the type of a column is `unknown`. */
export function describeColumns(
  compiled: CompiledMetrics,
  types: { type: string }[],
  asked: readonly AskedMetric[],
): ResultColumnResponse[] {
  return compiled.columns.map(({ metric, ...column }, index) => {
    const type = column.role === 'time' ? (column.grain === 'hour' ? 'datetime' : 'date') : wireTypeOf(types[index]?.type);
    if (metric === undefined) return { ...column, type };
    const { id, unit, format } = asked[metric]!.row;
    // A rate has neither the unit nor the format of the metric.
    return { ...column, type, metric_id: id, ...(column.compare === 'rate' ? { unit: null } : { unit, format }) };
  });
}

/** A row as the answer shows it, without the flags that follow its values. */
export function toWireRow(
  row: readonly unknown[],
  columns: readonly ResultColumnResponse[],
  warnings: MetricWarning[],
  rounds = true,
): unknown[] {
  return columns.map(({ format, type }, index) => roundTo(toWireValue(row[index], type, warnings), (rounds && format) || null));
}

/** Rows as the answer shows them. They are made in turns, because there may be many. */
export async function toWireRows(
  rows: readonly unknown[][],
  columns: readonly ResultColumnResponse[],
  warnings: MetricWarning[],
  rounds = true,
): Promise<unknown[][]> {
  const pace = new Pace();
  const wire: unknown[][] = [];
  for (const row of rows) {
    wire.push(toWireRow(row, columns, warnings, rounds));
    if (pace.isOverdue) await pace.turn();
  }
  return wire;
}
