import { ApiError } from '../common/errors/api-error.js';
import { leavesOf } from './plan/compile-value.js';
import { type BoundDimension, type MetricBinding } from './plan/metric-binding.js';
import { planScans } from './plan/compile-scan.js';
import { type ResolvedFormula, resolveMetric } from './plan/resolve-metric.js';
import { type MetricWarning } from './execute.dto.js';
import { type Pattern } from './formula/formula-tree.js';
import { type GraphMetrics, toDefinition } from './graph-metrics.js';
import { type MetricRow } from './metric-rows.js';

/** What can be said of a metric without running it. */
export interface MetricDescription {
  /** Null when the formula matches no pattern, or when something it needs is not bound. */
  pattern: Pattern | null;
  /** Dimensions that every binding it reaches has. */
  dimensions: BoundDimension[];
  hasTime: boolean;
  executable: boolean;
  warnings: MetricWarning[];
}

/** Goes through the same steps as an execution and turns the first error into a warning. */
export function describeMetric(row: MetricRow, graph: GraphMetrics): MetricDescription {
  const described = tryMetric(row, graph);
  return { ...described, warnings: [...described.warnings, ...ambiguousNames(row, graph)] };
}

/** Names by which another metric of the graph can be meant too; formulas and questions take the first that fits. */
function ambiguousNames(row: MetricRow, graph: GraphMetrics): MetricWarning[] {
  return [row.name, ...row.aliases].flatMap(name => {
    const other = graph.findOther(row.id, name);
    if (!other) return [];
    const zh = `“${name}”也是指标“${other.name}”（id ${other.id}）的名称或别名，引用时可能不是所指`;
    const en = `'${name}' is also a name or an alias of metric '${other.name}' (id ${other.id}); a formula or a question may not mean the one you think`;
    return [{ code: 'ambiguous_name', message: `${zh} / ${en}` }];
  });
}

function tryMetric(row: MetricRow, graph: GraphMetrics): MetricDescription {
  try {
    const { pattern, root, bindings, notBuilt } = resolveMetric(toDefinition(row, row), graph.find);
    const problem = notBuilt ?? findUnsafe(root);
    const warnings = problem ? [{ code: problem.code, message: problem.detail }] : [];
    const hasTime = bindings.every(each => each.time !== null);
    return { pattern, dimensions: sharedDimensions(bindings), hasTime, executable: problem === null, warnings };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const own = row.binding?.bound;
    const warnings = [{ code: error.code, message: error.detail }];
    return { pattern: null, dimensions: own?.dimensions ?? [], hasTime: own?.time != null, executable: false, warnings };
  }
}

/** The first piece of SQL in the formulas that the guard refuses. */
function findUnsafe(root: ResolvedFormula): ApiError | null {
  const nothing = { dimensions: [], time: null, filters: [], filter_clause: null, having: [], order: [], limit: 1, offset: 0 };
  try {
    planScans(leavesOf(root), nothing);
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error;
  }
}

function sharedDimensions([first, ...others]: MetricBinding[]): BoundDimension[] {
  return (first?.dimensions ?? []).filter(({ name }) => others.every(other => other.dimensions.some(each => each.name === name)));
}
