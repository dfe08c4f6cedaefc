import { type Guard, guardExpression, type GuardedExpression } from '../../sql-guard/guard-expression.js';
import { UnsafeFilterClauseError } from '../../sql-guard/sql-guard.errors.js';
import { cut } from '../../text/cut.js';
import { type Steps } from '../../text/steps.js';
import { FormulaParseError } from '../formula/formula.errors.js';
import { type Formula, sqlTexts, type SqlText } from '../formula/formula-tree.js';
import { exactly, isBoolean, isNoCondition, type TypeOf } from './exact-arithmetic.js';
import { listedNames, type MetricBinding, namedColumns } from './metric-binding.js';
import { type MetricDefinition, type ResolvedLeaf } from './resolve-metric.js';
import { checkStatementLength } from './statement-length.js';

export type GuardedTexts = ReadonlyMap<SqlText, GuardedExpression>;

/** The guard for SQL of formulas and filter clauses. It admits the names of a binding, also qualified by the fact table's alias. */
function guardOverNames(binding: MetricBinding, seesBindings = false): Guard {
  const scope = { columns: namedColumns(binding), alias: binding.fact.alias, listed: () => listedNames(binding, seesBindings) };
  return exactly((text, isRewritten) => guardExpression(text, scope, isRewritten), typesIn(binding));
}

/**
 * Guards the SQL of leaves, each piece once for each binding.
 * @throws SchemaError before anything is judged, if the SQL is longer than a statement may be; FormulaParseError for an unknown column;
 * UnsafeFilterClauseError for any other refusal. Positions in errors count from the start of the formula.
 */
export function* guardLeaves(leaves: readonly ResolvedLeaf[], seesBindings: boolean): Steps<Map<MetricBinding, GuardedTexts>> {
  checkStatementLength([...new Set(leaves.flatMap(({ node }) => sqlTexts(node)))].map(({ text }) => text));
  const judged = new Map<MetricBinding, Map<SqlText, GuardedExpression>>();
  for (const { node, owner } of leaves) {
    yield;
    const texts = judged.get(owner.binding) ?? new Map<SqlText, GuardedExpression>();
    judged.set(owner.binding, texts);
    for (const text of sqlTexts(node))
      if (!texts.has(text))
        texts.set(
          text,
          inFormula(text, owner, () => guardOverNames(owner.binding, seesBindings)(text.text)),
        );
  }
  return judged;
}

/** Guards the filter clause of a request, over the names of a metric's binding. @throws UnsafeFilterClauseError */
export function guardClause(clause: string, { name, binding }: ResolvedLeaf['owner'], seesBindings: boolean): GuardedExpression {
  try {
    const guarded = guardOverNames(binding, seesBindings)(clause);
    if (isNoCondition(guarded, typesIn(binding))) throw noCondition(clause);
    return guarded;
  } catch (error) {
    if (!(error instanceof UnsafeFilterClauseError) || error.refused.reason !== 'column') throw error;
    const { hint } = error.refused;
    const of = {
      zh: `位于 filter_clause，指标“${name}”的绑定没有它${hint ? `；${hint.zh}` : ''}`,
      en: `in filter_clause; the binding of metric '${name}' has it not${hint ? `; ${hint.en}` : ''}`,
    };
    throw new UnsafeFilterClauseError({ ...error.refused, hint: of }, clause);
  }
}

/**
 * The error for a filter clause that is not a condition. A database would report such a clause without a usable position: the statement
 * quotes a bare column, so it does not contain the client's text.
 */
function noCondition(clause: string): UnsafeFilterClauseError {
  const text = clause.trim();
  const hint = {
    zh: `位于 filter_clause，它不是条件；请写出比较，如 ${cut(text, 40)} = …`,
    en: `in filter_clause, which is not a condition; write a comparison, such as ${cut(text, 40)} = …`,
  };
  const position = clause.length - clause.trimStart().length + 1;
  return new UnsafeFilterClauseError({ reason: 'type_mismatch', token: cut(text, 130), position, hint }, clause);
}

function typesIn(binding: MetricBinding): TypeOf {
  return name => namedColumns(binding).get(name)?.type;
}

/** Returns an argument as a number, for sums. A boolean becomes 1 or 0, so that the sum counts its true values. */
export function asNumber(guarded: GuardedExpression, binding: MetricBinding): GuardedExpression {
  if (!isBoolean(guarded, typesIn(binding))) return guarded;
  return guardOverNames(binding)(`(${guarded.text})::integer`, true);
}

/**
 * Guards the SQL of a formula while no binding is known, so any column is admitted.
 * @returns the guarded pieces, with the columns that they name
 * @throws UnsafeFilterClauseError
 */
export function* guardFormula(root: Formula, formula: string): Steps<GuardedExpression[]> {
  const guarded: GuardedExpression[] = [];
  for (const text of sqlTexts(root)) {
    yield;
    guarded.push(inFormula(text, { name: formula, formula }, () => guardExpression(text.text, { columns: 'any' })));
  }
  return guarded;
}

/** Runs a guard on a piece of SQL of a formula. The position in a refusal is changed to count from the start of the formula. */
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
