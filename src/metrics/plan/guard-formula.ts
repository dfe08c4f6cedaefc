import { guardExpression, guardPredicate, type GuardedExpression, type GuardScope } from '../../sql-guard/guard-expression.js';
import { UnsafeFilterClauseError } from '../../sql-guard/sql-guard.errors.js';
import { FormulaParseError } from '../formula/formula.errors.js';
import { type Formula, sqlTexts, type SqlText } from '../formula/formula-tree.js';
import { inDecimals, isBoolean } from './leaf-arithmetic.js';
import { type BoundColumn, type MetricBinding, namedColumns } from './metric-binding.js';
import { type MetricDefinition, type ResolvedLeaf } from './resolve-metric.js';

export type GuardedTexts = ReadonlyMap<SqlText, GuardedExpression>;

const guards = { expression: guardExpression, predicate: guardPredicate };

interface LogicalScope extends GuardScope {
  columns: Map<string, BoundColumn>;
}

const scopes = new WeakMap<MetricBinding, LogicalScope>();

/** The names that a formula or a clause may use, under the fact table's alias. */
export function logicalScope(binding: MetricBinding): LogicalScope {
  const scope = scopes.get(binding) ?? { columns: namedColumns(binding), alias: binding.fact.alias };
  scopes.set(binding, scope);
  return scope;
}

/**
 * Judges the SQL of leaves, each piece once for each binding.
 * @throws FormulaParseError for an unknown column, UnsafeFilterClauseError for the rest. Positions count from the start of the
 * formula.
 */
export function guardLeaves(leaves: readonly ResolvedLeaf[]): Map<MetricBinding, GuardedTexts> {
  const judged = new Map<MetricBinding, Map<SqlText, GuardedExpression>>();
  for (const { node, owner } of leaves) {
    const scope = logicalScope(owner.binding);
    const texts = judged.get(owner.binding) ?? new Map<SqlText, GuardedExpression>();
    judged.set(owner.binding, texts);
    for (const { kind, text } of sqlTexts(node)) {
      if (!texts.has(text))
        texts.set(
          text,
          inFormula(text, owner, () => inExactArithmetic(kind, guards[kind](text.text, scope), scope)),
        );
    }
  }
  return judged;
}

function inExactArithmetic(kind: keyof typeof guards, guarded: GuardedExpression, scope: LogicalScope): GuardedExpression {
  const text = inDecimals(guarded, name => scope.columns.get(name)?.type);
  return text === guarded.text ? guarded : guards[kind](text, scope);
}

/** An argument that is added up. Of true and false, the true ones are counted. */
export function asNumber(guarded: GuardedExpression, binding: MetricBinding): GuardedExpression {
  const scope = logicalScope(binding);
  if (!isBoolean(guarded, name => scope.columns.get(name)?.type)) return guarded;
  return guardExpression(`(${guarded.text})::integer`, scope);
}

/** Judges the SQL in a formula before its columns are known. @throws UnsafeFilterClauseError */
export function checkFormulaSql(root: Formula, formula: string): void {
  for (const { kind, text } of sqlTexts(root))
    inFormula(text, { name: formula, formula }, () => guards[kind](text.text, { columns: 'any' }));
}

/** Runs a guard on a piece of SQL of a formula and gives its refusals a place in the formula. */
export function inFormula<T>({ position }: SqlText, { name, formula }: Pick<MetricDefinition, 'name' | 'formula'>, guard: () => T): T {
  try {
    return guard();
  } catch (error) {
    if (!(error instanceof UnsafeFilterClauseError)) throw error;
    const { refused } = error;
    const at = position + (refused.position ?? 1) - 1;
    if (refused.reason === 'column') {
      const sentence = {
        zh: `指标“${name}”的公式用到绑定中没有的列`,
        en: `the formula of metric '${name}' names a column that its binding has not`,
      };
      const { token: found, hint } = refused;
      throw new FormulaParseError(formula, at, { nearest: 'aggregate', sentence, ...(found && { found }), ...(hint && { hint }) });
    }
    const hint = {
      zh: `位于指标“${name}”的公式${refused.hint ? `；${refused.hint.zh}` : ''}`,
      en: `in the formula of ${name}${refused.hint ? `; ${refused.hint.en}` : ''}`,
    };
    throw new UnsafeFilterClauseError({ ...refused, position: at, hint }, formula);
  }
}
