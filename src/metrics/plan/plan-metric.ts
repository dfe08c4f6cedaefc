import { guardPredicate, type GuardedExpression } from '../../sql-guard/guard-expression.js';
import { patternOf } from '../formula/classify-formula.js';
import { type SqlText } from '../formula/formula-tree.js';
import { PatternNotBuiltError } from '../metrics.errors.js';
import { type Aggregate, type Axis, type Test, type Value } from '../patterns/metric-pattern.js';
import { notBuiltIn, registry } from '../patterns/registry.js';
import { asNumber, guardLeaves, logicalScope } from './guard-formula.js';
import { bindingKey, type MetricBinding } from './metric-binding.js';
import { leavesOf, type ResolvedFormula, type ResolvedLeaf, type ResolvedMetric } from './resolve-metric.js';

/**
 * A metric in stages: each binding is scanned and aggregated in one pass, the scans are stacked, and the value combines their
 * columns.
 */
export interface MetricPlan {
  scans: Scan[];
  value: Value;
  warnings: Test[];
}

/** The rows of one binding on one axis and the aggregates over them, each column with its own conditions. */
export interface Scan {
  binding: MetricBinding;
  axis: ScanAxis;
  /** By the text of what they compute. */
  columns: Map<string, Column>;
  clause: GuardedExpression | null;
  /** The dimensions of totals that are needed too. */
  withins: Set<readonly string[]>;
}

export type ScanAxis = Pick<Axis, 'window' | 'shift'>;

export interface Column {
  /** Unique among the columns of the plan. */
  name: string;
  aggregate: Aggregate;
  args: GuardedExpression[];
  where: GuardedExpression[];
}

/**
 * Plans a metric by the patterns of its nodes. The guard judges all SQL before a part that is not built is refused.
 * @throws FormulaParseError (a column that a binding lacks), UnsafeFilterClauseError, then PatternNotBuiltError
 */
export function planMetric({ root, bindings }: ResolvedMetric, clause: string | null): MetricPlan {
  const texts = guardLeaves(leavesOf(root));
  const clauses = new Map(
    bindings.map(binding => [bindingKey(binding), clause === null ? null : guardPredicate(clause, logicalScope(binding))]),
  );
  const scans = new Map<string, Scan>();
  const warnings = new Map<string, Test>();
  let columns = 0;
  const value = plan(root, {});
  return { scans: [...scans.values()], value, warnings: [...warnings.values()] };

  function plan(formula: ResolvedFormula, axis: Axis): Value {
    const { node, operands } = formula;
    const notBuilt = notBuiltIn(node);
    if (notBuilt !== null) throw new PatternNotBuiltError(patternOf(node), notBuilt);
    return registry[patternOf(node)]!.plan(node, {
      operand: (index, inner) => plan(operands[index]!, { ...axis, ...inner }),
      aggregate: aggregate => ({
        kind: 'column',
        name: addColumn(formula as ResolvedLeaf, aggregate, axis),
        isAdditive: aggregate.combine === 'SUM',
        within: axis.within,
      }),
      warnIf: test => warnings.set(JSON.stringify(test), test),
    });
  }

  /** Equal columns of one scan become one, and bindings to the same thing share a scan. */
  function addColumn({ owner: { binding } }: ResolvedLeaf, aggregate: Aggregate, { window, shift, within }: Axis): string {
    const key = JSON.stringify([bindingKey(binding), window, shift]);
    const clause = clauses.get(bindingKey(binding)) ?? null;
    const scan: Scan = scans.get(key) ?? { binding, axis: { window, shift }, columns: new Map(), clause, withins: new Set() };
    scans.set(key, scan);
    if (within) scan.withins.add(within);
    const { args, where } = aggregate;
    const computed = JSON.stringify([aggregate.name, args.map(each => each.text), where.map(each => each.text)]);
    const guarded = (each: SqlText) => texts.get(binding)!.get(each)!;
    const column = scan.columns.get(computed) ?? {
      name: `m${columns++}`,
      aggregate,
      args: args.map(each => (aggregate.adds ? asNumber(guarded(each), binding) : guarded(each))),
      where: where.map(guarded),
    };
    scan.columns.set(computed, column);
    return column.name;
  }
}
