import { ApiError } from '../common/errors/api-error.js';
import { leavesOf } from './compiler/compile-value.js';
import { type BoundDimension, type MetricBinding } from './compiler/metric-binding.js';
import { planScans } from './compiler/compile-scan.js';
import { type MetricDefinition, resolveMetric } from './compiler/resolve-metric.js';
import { type MetricWarning } from './execute.dto.js';
import { FormulaParseError } from './formula/formula.errors.js';
import { type Pattern } from './formula/formula-tree.js';
import { parseFormula } from './formula/parse-formula.js';
import { MissingBindingError } from './metrics.errors.js';
import { type MetricRow } from './metrics.repository.js';

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
export function describeMetric(row: MetricRow, siblings: MetricRow[]): MetricDescription {
  const own = row.binding?.bound;
  const unresolved = { dimensions: own?.dimensions ?? [], hasTime: own?.time != null, executable: false };
  try {
    const { pattern, root } = resolveMetric(toDefinition(row), finder(siblings));
    const leaves = leavesOf(root);
    const bindings = [...new Set(leaves.map(leaf => leaf.binding))];
    const described = { pattern, dimensions: sharedDimensions(bindings), hasTime: bindings.every(each => each.time !== null) };
    const unsafe = warn(() =>
      planScans(leaves, { dimensions: [], time: null, filters: [], filter_clause: null, having: [], order: [], limit: 1, offset: 0 }),
    );
    return { ...described, executable: unsafe === null, warnings: unsafe ? [unsafe.warning] : [] };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const known = !(error instanceof FormulaParseError) && !(error instanceof MissingBindingError);
    return {
      ...unresolved,
      pattern: known ? parseFormula(row.formula).pattern : null,
      warnings: [{ code: error.code, message: error.detail }],
    };
  }
}

function warn(check: () => unknown): { warning: MetricWarning } | null {
  try {
    check();
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { warning: { code: error.code, message: error.detail } };
  }
}

export function toDefinition(row: MetricRow): MetricDefinition {
  return { id: row.id, name: row.name, formula: row.formula, binding: row.binding?.bound ?? null };
}

/** `[name]` within a graph: a metric's own name before anybody's alias, the oldest metric first. */
export function finder(siblings: MetricRow[]): (name: string) => MetricDefinition | undefined {
  const found = new Map<string, MetricDefinition>();
  for (const row of siblings) found.set(row.name, toDefinition(row));
  for (const row of siblings) for (const alias of row.aliases) if (!found.has(alias)) found.set(alias, toDefinition(row));
  return name => found.get(name);
}

function sharedDimensions([first, ...others]: MetricBinding[]): BoundDimension[] {
  return (first?.dimensions ?? []).filter(({ name }) => others.every(other => other.dimensions.some(each => each.name === name)));
}
