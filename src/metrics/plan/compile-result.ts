import { type Steps } from '../../text/steps.js';
import { type Value, type WarningCode } from '../patterns/metric-pattern.js';
import { tablesIn } from './bound-sql.js';
import { levelsOf } from './check-axes.js';
import { spreadTotals, sqlOfColumns } from './compile-columns.js';
import { compareSides, comparesByDimension, type SideFlag } from './compared-sides.js';
import { compilePeriods } from './compile-periods.js';
import { compileScan } from './compile-scan.js';
import { compileStack } from './compile-stack.js';
import { type TimePlan } from './compile-time.js';
import { compileTest, compileValue } from './compile-value.js';
import { type MetricRequest } from './metric-request.js';
import { type MetricPlan } from './plan-metric.js';
import { type CompiledScan, type ScanContext } from './scan-context.js';
import { judgeRows } from './scan-rows.js';

/**
 * A boolean column after the values of a row. It is true if a warning holds for a metric in this row, if there are more periods than are
 * computed, or if the row is compared as `SideFlag` describes.
 */
export type Flag = { code: WarningCode; metric: number } | { code: 'TOO_MANY_PERIODS' } | SideFlag;

export interface CompiledResult {
  /** The parts of the WITH list. The last part is the result. */
  parts: string[];
  /** The quoted name of the last part. It has the columns `period`, `d0…`, the values `v0…` and the flags `w0…`. */
  result: string;
  flags: Flag[];
  /** SQL of the condition that there are more periods than are computed. Undefined if the request limits the periods. */
  tooMany: string | undefined;
}

/** The state of a statement while it is compiled. */
export type Building = Pick<ScanContext, 'assembly' | 'problems' | 'checks'>;

/**
 * Compiles planned metrics up to their values, without `having`, order and limit.
 * @param tellsSides whether to add the flags of `compareSides`
 */
export function* compileResult(
  { scans, warnings, oneToOne }: MetricPlan,
  values: Value[],
  request: MetricRequest,
  time: TimePlan,
  building: Building,
  tellsSides: boolean,
): Steps<CompiledResult> {
  const { assembly } = building;
  const { dialect } = assembly;
  assembly.joins.push(...oneToOne);
  const keys = [...(time.grain === null ? [] : ['"period"']), ...request.dimensions.map((_, index) => `"d${index}"`)];
  const levels = scans.map(scan => levelsOf(scan, request));
  const isLevelled = levels.some(each => each.length > 0);
  const context = { scans, request, time, isLevelled, ...building };
  const compiled: CompiledScan[] = [];
  for (const scan of scans) {
    yield* judgeRows(scan, context);
    compiled.push(compileScan(scan, compiled.length, levels[compiled.length]!, context));
  }
  const parts = compiled.flatMap(each => each.reading);
  const periods = compilePeriods(compiled, time, assembly, parts);
  if (periods) parts.push(...compiled.flatMap(each => each.joining?.(periods) ?? []));

  const sources = scans.map((scan, index) => ({ scan, part: assembly.part(`f${index}`) }));
  const stack = { stacked: assembly.part('u'), grouped: assembly.part('g') };
  let source = compileStack(sources, stack, time, keys, isLevelled, tellsSides && comparesByDimension(scans, request), assembly, parts);
  if (isLevelled) source = spreadTotals(values, scans, keys, request, source, assembly, parts);
  const sides = tellsSides ? compareSides(scans, request, source, isLevelled, time.grain, assembly, parts) : { source, flags: [] };
  const columnSql = sqlOfColumns(scans, request, time, isLevelled, assembly);
  const tooMany = periods?.tooMany;
  const flags: { flag: Flag; sql: string }[] = warnings.map(({ metric, ...test }) => ({
    flag: { code: test.code, metric },
    sql: compileTest(test, columnSql, dialect),
  }));
  flags.push(...sides.flags);
  if (tooMany !== undefined) flags.push({ flag: { code: 'TOO_MANY_PERIODS' }, sql: tooMany });
  const result = assembly.part('r');
  const list = [
    ...keys,
    ...values.map((value, index) => `${compileValue(value, columnSql, dialect)} AS "v${index}"`),
    ...flags.map(({ sql }, index) => `${sql} AS "w${index}"`),
  ];
  parts.push(`${result} AS (\n  SELECT ${list.join(', ')}\n  FROM ${sides.source}${isLevelled ? '\n  WHERE "level" = 0' : ''}\n)`);
  return { parts, result, flags: flags.map(({ flag }) => flag), tooMany };
}

/** The names of tables that the queries of bindings read. A part of the WITH list with such a name would be read instead of the table. */
export function* queriedTables(plans: readonly MetricPlan[]): Steps<string[]> {
  const scans = plans.flatMap(plan => plan.scans);
  const bindings = scans.flatMap(({ binding, events }) => [binding, ...(events ? [events.binding] : [])]);
  const names = new Set<string>();
  for (const { fact } of bindings) {
    yield;
    if ('sql' in fact.source) for (const name of tablesIn(fact.source)) names.add(name);
  }
  return [...names];
}
