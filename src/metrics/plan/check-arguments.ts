import { type GuardedExpression } from '../../sql-guard/guard-expression.js';
import { UnsafeFilterClauseError } from '../../sql-guard/sql-guard.errors.js';
import { nameParts, type NodeFields } from '../../sql-guard/walk-tree.js';
import { type SqlText } from '../formula/formula-tree.js';
import { FormulaParseError } from '../formula/formula.errors.js';
import { type Aggregate } from '../patterns/metric-pattern.js';
import { inFormula } from './guard-formula.js';
import { isBoolean, type TypeOf, typeOfReference } from './exact-arithmetic.js';
import { type Additivity } from './metric-binding.js';
import { type ResolvedLeaf } from './resolve-metric.js';

/**
 * Matches types whose values no arithmetic accepts. A type without a match may be a number, a length of time, or a type of an
 * extension.
 */
const others = /^(text|varchar|char|bpchar|citext|date|timestamp|timestamptz|uuid|json|jsonb|bytea|boolean)\b|\[\]$/;
const unordered = /^(json|jsonb|boolean)\b/;

/**
 * The type of an argument whose values certainly are not numbers: a bare column, a cast or a truth value. Undefined for any other
 * argument.
 */
export function otherType(guarded: GuardedExpression, typeOf: TypeOf): string | undefined {
  const { ColumnRef, TypeCast } = guarded.tree as Record<string, NodeFields | undefined>;
  const type = isBoolean(guarded, typeOf)
    ? 'boolean'
    : ColumnRef
      ? typeOfReference(ColumnRef, typeOf)
      : TypeCast && (nameParts((TypeCast.typeName as NodeFields).names).at(-1) ?? undefined);
  return type !== undefined && others.test(type) ? type : undefined;
}

/**
 * For each additivity, the functions that it refuses because they add values up. `semi_additive` values must not be added over time, as SUM
 * does. `non_additive` values must not be added at all; FIRST and LAST add the values of one time.
 */
const sums: Partial<Record<Additivity, readonly string[]>> = { semi_additive: ['SUM'], non_additive: ['SUM', 'FIRST', 'LAST'] };

/** Refuses a function that adds up values which, by the binding, must not be added up. @throws FormulaParseError */
export function checkAdditivity({ node, owner: { binding, formula, name } }: ResolvedLeaf): void {
  const { additivity = 'auto' } = binding;
  if (node.pattern !== 'aggregate' || !sums[additivity]?.includes(node.fn)) return;
  const [zh, en] = additivity === 'semi_additive' ? ['LAST(x BY key)、', 'LAST(x BY key), '] : ['WAVG、', 'WAVG, '];
  const sentence = {
    zh: `${node.fn} 会相加，而指标“${name}”的绑定声明其值为 ${additivity}；可改用 ${zh}AVG、MIN 或 MAX`,
    en: `${node.fn} adds values up, and the binding of metric '${name}' says that they are ${additivity}; use ${en}AVG, MIN or MAX`,
  };
  throw new FormulaParseError(formula, node.position, { nearest: 'aggregate', sentence });
}

/**
 * Refuses an argument of a type that the function cannot take. The database would refuse it too, but without a place in the formula.
 * @param type see `otherType`
 * @throws UnsafeFilterClauseError with the place in the formula
 */
export function checkArgument({ name, takes, adds }: Aggregate, text: SqlText, type: string | undefined, { owner }: ResolvedLeaf): void {
  if (type === undefined || takes === 'anything' || (adds && type === 'boolean')) return;
  if (takes === 'ordered' && !unordered.test(type)) return;
  const counts = { zh: '可改用 COUNT(DISTINCT …) 或 COUNT(* WHERE …)', en: 'COUNT(DISTINCT …) or COUNT(* WHERE …) may be meant' };
  inFormula(text, owner, () => {
    throw new UnsafeFilterClauseError({
      reason: 'type_mismatch',
      token: text.text,
      position: 1,
      hint: { zh: `${name} 不能用于 ${type}；${counts.zh}`, en: `${name} does not take a ${type}; ${counts.en}` },
    });
  });
}
