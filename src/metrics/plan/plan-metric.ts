import { guardPredicate, type GuardedExpression } from '../../sql-guard/guard-expression.js';
import { patternOf } from '../formula/classify-formula.js';
import { type SqlText } from '../formula/formula-tree.js';
import { PatternNotBuiltError } from '../metrics.errors.js';
import { type Aggregate, type Value } from '../patterns/metric-pattern.js';
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
}

/** The rows of one binding and the aggregates over them, each column with its own conditions. */
export interface Scan {
  binding: MetricBinding;
  /** By the text of what they compute. */
  columns: Map<string, Column>;
  clause: GuardedExpression | null;
}

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
  let columns = 0;
  const value = plan(root);
  return { scans: [...scans.values()], value };

  function plan(formula: ResolvedFormula): Value {
    const { node, operands } = formula;
    const notBuilt = notBuiltIn(node);
    if (notBuilt !== null) throw new PatternNotBuiltError(patternOf(node), notBuilt);
    return registry[patternOf(node)]!.plan(node, {
      operand: index => plan(operands[index]!),
      aggregate: aggregate => ({ kind: 'column', name: addColumn(formula as ResolvedLeaf, aggregate) }),
    });
  }

  /** Equal columns of one scan become one, and bindings to the same thing share a scan. */
  function addColumn({ owner: { binding } }: ResolvedLeaf, aggregate: Aggregate): string {
    const key = bindingKey(binding);
    const scan: Scan = scans.get(key) ?? { binding, columns: new Map(), clause: clauses.get(key) ?? null };
    scans.set(key, scan);
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
