import { type FieldProblem, SchemaError } from '../../common/errors/api-error.js';
import { atOnce, type Steps } from '../../text/steps.js';
import { type Grain } from '../formula/formula-tree.js';
import { type Value } from '../patterns/metric-pattern.js';
import { zoneOffsetsInSteps } from '../translate/zone-offsets.js';
import { checkAxes } from './check-axes.js';
import { collatedTexts, type CollatedTexts } from './collated-texts.js';
import { checkComparison, checkFiltersByMetric, checkNames, checkZeroFill } from './check-request.js';
import { compare, compileHaving, compileOrder, type ResultColumn } from './compile-order.js';
import { FilterChecks } from './filter-checks.js';
import { type Building, compileResult, type Flag, queriedTables } from './compile-result.js';
import { checkZone, planTime, type TimePlan } from './compile-time.js';
import { filtersTime } from './filters-time.js';
import { type BoundJoin, findDimension, type MetricBinding, type TableRead } from './metric-binding.js';
import { type CompareMode, type FilterByMetric, type MetricRequest } from './metric-request.js';
import { type MetricPlan, planInSteps, type ScanAxis } from './plan-metric.js';
import { ownersIn, type ResolvedMetric } from './resolve-metric.js';
import { filterPart } from './scan-rows.js';
import { connectionOf, targetOf } from './target-of.js';
import { checkLengthOfBindings } from './statement-length.js';
import { type CompiledStatement, SqlAssembly } from './sql-assembly.js';

/** A metric of a request, with the name of the column of its values. */
export interface NamedMetric {
  name: string;
  metric: ResolvedMetric;
}

export interface CompiledColumn {
  name: string;
  role: 'time' | 'dimension' | 'value';
  grain?: Grain;
  timezone?: string;
  /** For a value, the index of its metric among the requested metrics. */
  metric?: number;
  /** For a comparison with an earlier period, which comparison the column shows. Absent for the metric's own value. */
  compare?: CompareMode;
}

export interface CompiledMetrics extends CompiledStatement {
  connectionId: number;
  columns: CompiledColumn[];
  flags: Flag[];
  /** The statement of the totals: the same values over the same rows, without grouping. Null if the request asks for no totals. */
  totals: CompiledStatement | null;
  /** The bindings whose rows without a time the request leaves out, see `compileUntimed`. Empty if it shows any such rows. */
  leavesUntimed: readonly MetricBinding[];
  /** The time zone of the session in which the statements run. */
  timezone: string;
  /** The joins that the statements read. `reads` has the tables, with their columns. */
  joins: readonly BoundJoin[];
  reads: readonly TableRead[];
  axes: readonly ScanAxis[];
  time: TimePlan;
  /** Whether a filter reads the time column of a scan with an axis, see `filtersTime`. */
  filtersTime: boolean;
  collated: CollatedTexts;
}

/** Runs {@link compileInSteps} at once. */
export function compileMetrics(asked: readonly NamedMetric[], request: MetricRequest): CompiledMetrics {
  return atOnce(compileInSteps(asked, request));
}

/**
 * Compiles resolved metrics and a request into one statement. Each binding is aggregated in one scan. Scans of different bindings are
 * stacked with UNION ALL and grouped again, because a join on NULL keys would split or drop rows (metrics.md, pattern 5). `having`, order
 * and limit are applied last. For a finite `limit` the statement reads one row beyond it, which shows whether the result is cut. Totals are
 * computed by a statement of their own, before `having`, because distinct counts and ratios do not add up.
 * @throws UnsafeFilterClauseError, SchemaError (all names and options that do not fit), MixedConnectionsError
 */
export function* compileInSteps(asked: readonly NamedMetric[], request: MetricRequest): Steps<CompiledMetrics> {
  const problems: FieldProblem[] = [];
  const metrics = asked.map(({ metric }) => metric);
  checkComparison(asked, request, problems);
  const shift = problems.length > 0 ? null : (request.compare?.shift ?? null);
  checkLengthOfBindings([...metrics, ...request.filtersByMetric.map(({ metric }) => metric)]);
  const plan = yield* planInSteps(metrics, request.filter_clause, shift, request.seesBindings);
  refuseToCompareOthers(asked, plan, request, problems);
  const bindings = [...new Set(plan.scans.map(scan => scan.binding))];
  const filters: PlannedFilter[] = [];
  for (const filter of request.filtersByMetric)
    filters.push({ ...filter, plan: yield* planInSteps([filter.metric], null, null, request.seesBindings) });
  const allBindings = [...new Set(metrics.flatMap(metric => metric.bindings))];
  const filterBindings = filters.flatMap(({ metric }) => metric.bindings);
  const connectionId = connectionOf([...allBindings, ...filterBindings]);

  const ownerOf = ownersIn([...metrics, ...filters.map(filter => filter.metric)]);
  yield* checkNames(request, bindings, ownerOf, problems);
  const axes = plan.scans.map(scan => scan.axis);
  const time = planTime(request.time, allBindings, problems, axes, ownerOf);
  checkAxes(plan.scans, request, time, ownerOf, problems);
  yield* checkFiltersByMetric({ ...request, filters }, bindings, time, ownerOf, problems);
  if (time.fill === 'zero') checkZeroFill(plan.scans, problems);
  if (problems.length > 0) throw new SchemaError(problems);

  const dimensions = request.dimensions.map(name => findDimension(bindings[0]!, name)?.name ?? name);
  const keys: CompiledColumn[] = [
    ...(time.grain === null ? [] : [{ name: 'period', role: 'time' as const, grain: time.grain, timezone: time.timezone }]),
    ...dimensions.map(name => ({ name, role: 'dimension' as const })),
  ];
  const outputs = outputsOf(asked, plan, request);
  const target = targetOf([...allBindings, ...filterBindings]);
  if (target) yield* zoneOffsetsInSteps(time.timezone);
  const assembly = new SqlAssembly(target);
  const building: Building = { assembly, problems, checks: new FilterChecks(time.timezone) };
  const compiled = yield* compileStatement(plan, filters, request, time, keys, outputs, building);
  checkZone(request.time, time, allBindings, assembly.reads, problems);
  if (problems.length > 0) throw new SchemaError(problems);

  const ungrouped: MetricRequest = { ...request, dimensions: [], having: [], order: [], limit: 1, offset: 0 };
  const ungroupedTime: TimePlan = { ...time, grain: null, totalOf: time.grain, fill: time.fill === 'zero' ? 'zero' : 'none' };
  const ungroupedPlan: MetricPlan = { ...plan, scans: plan.scans.map(scan => ({ ...scan, withins: new Set() })), warnings: [] };
  const totals = request.totals
    ? (yield* compileStatement(ungroupedPlan, filters, ungrouped, ungroupedTime, [], outputs, {
        ...building,
        assembly: new SqlAssembly(target),
      })).statement
    : null;
  const columns = [...keys, ...outputs.map(({ column }) => column)];
  const { joins, reads } = assembly;
  const isTimed = time.from !== null || time.to !== null || axes.every(({ window, shift }) => window ?? shift);
  return {
    connectionId,
    columns,
    flags: compiled.flags,
    totals,
    leavesUntimed: isTimed ? allBindings.filter(binding => binding.time) : [],
    timezone: time.timezone,
    joins,
    reads,
    axes,
    time,
    filtersTime: filtersTime(plan.scans, request, assembly),
    collated: collatedTexts(plan, dimensions, assembly),
    ...compiled.statement,
  };
}

/** Reports `compare` for each metric whose values are not numbers: dates and texts cannot be subtracted. */
function refuseToCompareOthers(
  asked: readonly NamedMetric[],
  { values }: MetricPlan,
  { compare }: MetricRequest,
  problems: FieldProblem[],
): void {
  values.forEach(({ value }, index) => {
    if (!compare || value.kind !== 'column' || value.otherType === undefined) return;
    const { name } = asked[index]!;
    const text = {
      zh: `“${name}”的值是 ${value.otherType}，不是数字`,
      en: `the values of '${name}' are of type ${value.otherType}, no numbers`,
    };
    problems.push({ loc: ['body', 'compare'], text, type: 'not_comparable' });
  });
}

interface Output {
  column: CompiledColumn;
  value: Value;
}

/** The columns of each metric: its own value, then its comparisons with an earlier period. */
function outputsOf(asked: readonly NamedMetric[], { values }: MetricPlan, { compare: comparison }: MetricRequest): Output[] {
  return asked.flatMap(({ name }, metric) => {
    const { value, before } = values[metric]!;
    const own: Output = { column: { name, role: 'value', metric }, value };
    if (!before) return [own];
    const diff: Value = { kind: 'binary', op: '-', left: value, right: before };
    const of: Record<CompareMode, { label: string; value: Value }> = {
      value: { label: 'previous', value: before },
      diff: { label: 'diff', value: diff },
      rate: { label: 'rate', value: { kind: 'binary', op: '/', left: diff, right: before } },
    };
    const compared = (comparison?.modes ?? []).map((mode): Output => {
      const { label, value } = of[mode];
      return { column: { name: name === 'value' ? label : `${name}.${label}`, role: 'value', metric, compare: mode }, value };
    });
    return [own, ...compared];
  });
}

type PlannedFilter = FilterByMetric & { plan: MetricPlan };

function* compileStatement(
  plan: MetricPlan,
  filters: readonly PlannedFilter[],
  request: MetricRequest,
  time: TimePlan,
  keys: CompiledColumn[],
  outputs: Output[],
  building: Building,
): Steps<{ statement: CompiledStatement; flags: Flag[] }> {
  const { assembly, problems } = building;
  const { dialect } = assembly;
  assembly.reserve(yield* queriedTables([plan, ...filters.map(filter => filter.plan)]));
  const kept: string[] = [];
  for (const [index, filter] of filters.entries()) kept.push(...(yield* compileFilterByMetric(filter, index, request, time, building)));
  const values = outputs.map(({ value }) => value);
  const { parts, result, tooMany, flags } = yield* compileResult(plan, values, request, time, building, true);

  let dimension = 0;
  const columns: ResultColumn[] = [
    ...keys.map(({ name, role }): ResultColumn => {
      if (role === 'time') {
        const sql = `${result}."period"`;
        return { names: [name], sql, isValue: false, ...(time.grain === 'hour' && { order: [dialect.hourToMoment(sql), sql] }) };
      }
      const asked = request.dimensions[dimension]!;
      return { names: [name, asked], sql: `${result}."d${dimension++}"`, isValue: false };
    }),
    ...outputs.map(({ column, value }, index): ResultColumn => {
      const otherType = value.kind === 'column' ? value.otherType : undefined;
      return { names: [column.name], sql: `${result}."v${index}"`, isValue: true, otherType };
    }),
  ];
  const list = [
    ...columns.map(({ names, sql }) => `${sql} AS ${dialect.quote(names[0]!)}`),
    ...flags.map((_, index) => `${result}."w${index}"`),
  ];
  const template = [
    `WITH ${[...kept, ...parts].join(',\n')}`,
    `SELECT ${list.join(', ')}`,
    `FROM ${result}`,
    ...compileHaving(request, columns, assembly, problems, tooMany),
    `ORDER BY ${compileOrder(request, columns, problems)}`,
    [
      ...(request.limit === Infinity ? [] : [`LIMIT ${assembly.bind(request.limit + 1, 'bigint')}`]),
      `OFFSET ${assembly.bind(request.offset, 'bigint')}`,
    ].join(' '),
  ].join('\n');
  return { statement: yield* assembly.finishAll(template), flags };
}

/**
 * The part of the WITH list with the keys that a filter by a metric keeps. The metric is computed by a query of its own, over all rows
 * or over the rows of the range.
 */
function* compileFilterByMetric(
  { plan, by, op, value, inRange }: PlannedFilter,
  index: number,
  request: MetricRequest,
  { from, to, ...time }: TimePlan,
  building: Building,
): Steps<string[]> {
  const { assembly } = building;
  const own: MetricRequest = { ...request, dimensions: [by], filters: [], filtersByMetric: [] };
  const ownTime: TimePlan = { ...time, grain: null, fill: 'none', from: inRange ? from : null, to: inRange ? to : null };
  const { parts, result } = yield* compileResult(plan, [plan.values[0]!.value], own, ownTime, building, false);
  const select = `WITH ${parts.join(',\n')}
  SELECT "d0" AS "key"
  FROM ${result}
  WHERE ${compare('"v0"', op, value, assembly)}`;
  return assembly.list(filterPart(index, assembly), [], select, []);
}
