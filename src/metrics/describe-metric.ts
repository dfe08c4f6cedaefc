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
  /** Null when the formula matches no pattern, or when a metric that it needs is not bound. */
  pattern: Pattern | null;
  /** The dimensions that all bindings of the formula share. */
  dimensions: BoundDimension[];
  hasTime: boolean;
  /** Whether it is computed by periods, so that a request needs a grain or a range. */
  needsPeriods: boolean;
  /** The zones of its bindings. Empty where none has a time. */
  timezones: string[];
  /** Whether a zone decides in which period a row lies. */
  hasMoments: boolean;
  /** Whether the sum of its values over groups is that of all. */
  isAdditive: boolean;
  executable: boolean;
  warnings: MetricWarning[];
}

/** Formulas up to this length, which name no other metric, are described in some milliseconds. */
const shortFormula = 500;

/** Whether describing the metric may take so long that its caller waits for a turn. */
export function isLongToDescribe({ formula }: Pick<MetricRow, 'formula'>): boolean {
  return formula.length > shortFormula || referencesIn(formula).length > 0;
}

/**
 * Goes through the same steps as an execution and turns the first error into a warning.
 * @param seesBindings whether warnings may list the columns of bindings
 */
export function* describeInSteps(row: MetricRow, graph: GraphMetrics, seesBindings = false): Steps<MetricDescription> {
  const described = yield* tryMetric(row, graph, seesBindings);
  return { ...described, warnings: [...described.warnings, ...ambiguousNames(row, graph)] };
}

/** Names that also fit another metric of the graph. */
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
): Steps<Pick<MetricDescription, 'pattern' | 'dimensions' | 'hasTime' | 'hasMoments' | 'timezones'>> {
  const own = row.binding?.bound;
  const bindings = resolved ? resolved.bindings : own ? [own] : [];
  return {
    pattern: resolved?.pattern ?? null,
    dimensions: yield* sharedDimensions(bindings),
    hasTime: (resolved !== null || bindings.length > 0) && bindings.every(each => each.time !== null),
    hasMoments: bindings.some(each => each.time !== null && each.time.type !== 'date'),
    timezones: zonesOf(bindings),
  };
}

/** There may be hundreds of bindings, with more than a thousand dimensions each. */
function* sharedDimensions([first, ...others]: MetricBinding[]): Steps<BoundDimension[]> {
  let shared = first?.dimensions ?? [];
  for (const { dimensions } of new Set(others)) {
    yield;
    const names = new Set(dimensions.map(({ name }) => name));
    shared = shared.filter(({ name }) => names.has(name));
  }
  return shared;
}
