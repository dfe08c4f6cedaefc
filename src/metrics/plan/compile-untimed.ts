import { type Steps } from '../../text/steps.js';
import { compileRelation, expressionsOf, timeColumn } from './compile-relation.js';
import { type TimePlan } from './compile-time.js';
import { type MetricBinding } from './metric-binding.js';
import { type ScanAxis } from './plan-metric.js';
import { type CompiledStatement, SqlAssembly } from './sql-assembly.js';

/**
 * A statement that counts the rows without a time, as one row of one bigint: no range and no window contains them. The filters of the
 * request are left out, so that the count holds for all requests of a binding. Null if the request leaves no row out for its time, and
 * for other databases than PostgreSQL.
 */
export function* compileUntimed(
  bindings: readonly MetricBinding[],
  { from, to }: TimePlan,
  axes: readonly ScanAxis[],
): Steps<CompiledStatement | null> {
  if (from === null && to === null && !axes.some(({ window, shift }) => window ?? shift)) return null;
  const timed = new Map(
    bindings.flatMap(binding => {
      const { fact, joins, time, row_filter: filter, dialect } = binding;
      return time && dialect === undefined ? [[JSON.stringify([fact, joins, time.expression, filter]), binding]] : [];
    }),
  );
  if (timed.size === 0) return null;
  const assembly = new SqlAssembly();
  const counts: string[] = [];
  for (const binding of timed.values()) {
    yield* assembly.judgeAll(binding, new Set(expressionsOf(binding)));
    const relation = compileRelation(binding, [], true, assembly);
    counts.push(`(SELECT count(*) FROM ${relation} WHERE ${assembly.dialect.quote(timeColumn)} IS NULL)`);
  }
  return yield* assembly.finishAll(`SELECT ${counts.join(' + ')} AS "untimed"`);
}
