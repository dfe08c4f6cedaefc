import { ApiError, SchemaError } from '../common/errors/api-error.js';
import { joined } from '../text/bilingual.js';
import { LanguageError } from '../text/language-error.js';
import { type Steps } from '../text/steps.js';
import { type BoundDimension, type MetricBinding } from './plan/metric-binding.js';
import { zonesOf } from './plan/compile-time.js';
import { planInSteps } from './plan/plan-metric.js';
import { resolveInSteps, type ResolvedMetric } from './plan/resolve-metric.js';
import { connectionOf } from './plan/target-of.js';
import { type MetricWarning } from './execute.dto.js';
import { type Pattern } from './formula/formula-tree.js';
import { referencesIn } from './formula/keep-outlines.js';
import { addsUp } from './patterns/share-of-total.js';
import { type GraphMetrics, toDefinition } from './graph-metrics.js';
import { type MetricRow } from './metric-rows.js';

/** The facts about a metric that are known without running it. */
export interface MetricDescription {
  /** Null if the formula matches no pattern, or if a metric that the formula needs has no binding. */
  pattern: Pattern | null;
  /** The dimensions that all bindings of the formula share. */
  dimensions: BoundDimension[];
  hasTime: boolean;
  /** Whether the metric compares or accumulates periods, so that a request must give a grain or a range. */
  needsPeriods: boolean;
  /** The time zones of the metric's bindings. Empty if no binding has a time column. */
  timezones: string[];
  /** Whether the time zone decides in which period a row lies. */
  hasMoments: boolean;
  /** Whether the sum of the metric's values over groups equals its value over all rows. */
  isAdditive: boolean;
  /**
   * Whether the metric counts rows or keys. False for any other aggregate, such as a sum. Null for a formula that is not a single
   * aggregate.
   */
  counts: boolean | null;
  executable: boolean;
  warnings: MetricWarning[];
}

/** Maximum characters of a formula that is described without a turn. If it refers to no other metric, that takes some milliseconds. */
const shortFormula = 500;

/** Whether describing the metric may take so long that the caller must wait for a turn. */
export function isLongToDescribe({ formula }: Pick<MetricRow, 'formula'>): boolean {
  return formula.length > shortFormula || referencesIn(formula).length > 0;
}

/**
 * Describes a metric: goes through the steps of an execution, and turns the first error into a warning.
 * @param seesBindings whether warnings may list the columns of bindings
 */
export function* describeInSteps(row: MetricRow, graph: GraphMetrics, seesBindings = false): Steps<MetricDescription> {
  const described = yield* tryMetric(row, graph, seesBindings);
  return { ...described, warnings: [...described.warnings, ...ambiguousNames(row, graph)] };
}

/** Warnings for names and aliases of the metric that another metric of the graph has as well. */
function ambiguousNames(row: MetricRow, graph: GraphMetrics): MetricWarning[] {
  return [row.name, ...row.aliases].flatMap(name => {
    const other = graph.findOther(row.id, name);
    if (!other) return [];
    const zh = `“${name}”也是指标“${other.name}”（id ${other.id}）的名称或别名，引用时可能不是所指`;
    const en = `'${name}' is also a name or an alias of metric '${other.name}' (id ${other.id}); a formula or a question may not mean the one you think`;
    return [{ code: 'ambiguous_name', message: joined({ zh, en }) }];
  });
}

function* tryMetric(row: MetricRow, graph: GraphMetrics, seesBindings: boolean): Steps<MetricDescription> {
  let resolved: ResolvedMetric | null = null;
  try {
    resolved = yield* resolveInSteps(toDefinition(row, row), graph.find);
    const { scans, values } = yield* planInSteps([resolved], null, null, seesBindings);
    connectionOf(resolved.bindings);
    const needsPeriods = scans.some(({ axis }) => axis.window ?? axis.shift);
    const dimensions = yield* sharedDimensions(scans.map(scan => scan.binding));
    const isAdditive = values.every(({ value }) => addsUp(value));
    return { ...(yield* whatIsKnown(row, resolved)), dimensions, needsPeriods, isAdditive, executable: true, warnings: [] };
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof LanguageError)) throw error;
    return {
      ...(yield* whatIsKnown(row, resolved)),
      needsPeriods: false,
      isAdditive: false,
      executable: false,
      warnings: [warningOf(error)],
    };
  }
}

function warningOf(error: ApiError | LanguageError): MetricWarning {
  const [problem] = error instanceof SchemaError ? error.problems : [];
  return problem ? { code: problem.type, message: joined(problem.text) } : { code: error.code, message: joined(error.text) };
}

function* whatIsKnown(
  row: MetricRow,
  resolved: ResolvedMetric | null,
): Steps<Pick<MetricDescription, 'pattern' | 'counts' | 'dimensions' | 'hasTime' | 'hasMoments' | 'timezones'>> {
  const own = row.binding?.bound;
  const bindings = resolved ? resolved.bindings : own ? [own] : [];
  return {
    pattern: resolved?.pattern ?? null,
    counts: resolved && countsRows(resolved.root),
    dimensions: yield* sharedDimensions(bindings),
    hasTime: (resolved !== null || bindings.length > 0) && bindings.every(each => each.time !== null),
    hasMoments: bindings.some(each => each.time !== null && each.time.type !== 'date'),
    timezones: zonesOf(bindings),
  };
}

function countsRows({ node }: ResolvedMetric['root']): boolean | null {
  if (node.kind !== 'leaf') return null;
  return node.pattern === 'count_distinct' || (node.pattern === 'aggregate' && node.fn === 'COUNT');
}

/**
 * The dimensions that all bindings have. Computed in steps, because there may be hundreds of bindings with more than a thousand
 * dimensions each.
 */
function* sharedDimensions([first, ...others]: MetricBinding[]): Steps<BoundDimension[]> {
  let shared = first?.dimensions ?? [];
  for (const { dimensions } of new Set(others)) {
    yield;
    const names = new Set(dimensions.map(({ name }) => name));
    shared = shared.filter(({ name }) => names.has(name));
  }
  return shared;
}
