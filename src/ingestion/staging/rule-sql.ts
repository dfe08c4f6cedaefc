import { type Rule } from '../mapping/mapping.js';
import { comparisonType, type ResolvedType, type ValueSql } from './column-sql.js';
import { hasFormat } from './format-sql.js';
import { isLonger, isShorter } from './length-sql.js';
import { patternBroken } from './pattern-sql.js';
import { type SqlBuilder } from './sql-builder.js';

/** The index of the implicit rule that a value can be read as its type. */
export const typeFailed = -1;
/** The index of the implicit rule that a key has all its parts. */
export const keyMissing = -2;
/** The index of the implicit rule that a key has at most 500 characters. */
export const keyTooLong = -3;
/**
 * The index of the implicit rule that no part of a key is rounded to the scale of its type. Rounding would give several rows the same key.
 */
export const keyRounded = -4;

export interface RuleContext {
  sql: SqlBuilder;
  value: ValueSql;
  ref: string;
  type: ResolvedType;
  /** The column of the inner SELECT with the result of an `expression` rule that is not `isJoined`, by the index of the rule. */
  expressionRefs: ReadonlyMap<number, string>;
  /** The column of the inner SELECT with the index of the first broken rule among those that are `isJoined`; null if no rule is. */
  joinedRef: string | null;
  /** The column of the inner SELECT with the result of a `when`, by the text of the `when`. */
  conditionRefs: ReadonlyMap<string, string>;
}

/**
 * SQL for the index of the first rule of severity `error` that the value breaks. The SQL gives `typeFailed` when the value cannot be read,
 * and NULL when the value passes. NULL values pass every rule except `required`.
 * @returns null, no SQL at all, when no value can fail
 */
export function firstFailure(rules: Rule[], context: RuleContext): string | null {
  const { value, ref, joinedRef } = context;
  const branches: string[] = [];
  const onNull: string[] = [];
  rules.forEach((rule, index) => {
    if (rule.severity !== 'error' || isJoined(rule)) return;
    if (rule.kind === 'required') onNull.push(`WHEN ${conditionOf(rule, context) ?? 'true'} THEN ${index}`);
    const broken = brokenWhen(rule, index, context);
    if (broken !== null) branches.push(`WHEN ${asked(rule, context)}${broken} THEN ${index}`);
  });
  const missing = onNull.length === 0 ? 'NULL' : `CASE ${onNull.join(' ')} END`;
  const own = branches.length === 0 ? null : `CASE ${branches.join(' ')} END`;
  const broken = own !== null && joinedRef !== null ? `least(${joinedRef}, ${own})` : (own ?? joinedRef);
  const unreadable = value.valid === null ? '' : ` WHEN NOT ${value.valid} THEN ${typeFailed}`;
  if (broken === null && unreadable === '' && onNull.length === 0) return null;
  return `CASE WHEN ${ref} IS NULL THEN ${missing}${unreadable} ELSE ${broken ?? 'NULL'} END`;
}

/**
 * True for an `expression` rule without `when` that rejects rows. The inner SELECT has one column for all such rules of a property
 * together.
 */
export function isJoined({ kind, severity, when }: Rule): boolean {
  return kind === 'expression' && severity === 'error' && when === null;
}

/** SQL that is true when a rule of severity `warn` is broken, otherwise false. It is never NULL. */
export function warned(rule: Rule, index: number, context: RuleContext): string {
  const { value, ref } = context;
  if (rule.kind === 'required') return `coalesce(${asked(rule, context)}${ref} IS NULL, false)`;
  const broken = brokenWhen(rule, index, context) ?? 'false';
  const unreadable = value.valid === null ? '' : ` WHEN NOT ${value.valid} THEN false`;
  return `CASE WHEN ${ref} IS NULL THEN false${unreadable} ELSE coalesce(${asked(rule, context)}${broken}, false) END`;
}

/** The column of the inner SELECT with the result of the rule's `when`; null for a rule without `when`. */
export function conditionOf({ when }: Rule, { conditionRefs }: Pick<RuleContext, 'conditionRefs'>): string | null {
  return when && conditionRefs.get(when.predicate)!;
}

function asked(rule: Rule, context: RuleContext): string {
  const condition = conditionOf(rule, context);
  return condition === null ? '' : `${condition} AND `;
}

/** SQL that is true when a non-NULL value breaks the rule. Null for rules that are judged elsewhere. */
function brokenWhen(rule: Rule, index: number, { sql, value, ref, type, expressionRefs }: RuleContext): string | null {
  switch (rule.kind) {
    case 'required':
      return null; // decided by NULL itself
    case 'unique':
      return null; // decided over all rows, once they are staged
    case 'references':
      return null; // decided over all targets, once they are staged
    case 'one_of':
      return `NOT ${value.text} = ANY(${sql.bind(rule.values, 'text[]')})`;
    case 'pattern':
      return patternBroken(sql, value.text, rule.regex);
    case 'min':
      return `${value.typed} < ${bound(sql, rule.bound, type)}`;
    case 'max':
      return `${value.typed} > ${bound(sql, rule.bound, type)}`;
    case 'min_length':
      return isShorter(value.text, rule.length);
    case 'max_length':
      return isLonger(value.text, rule.length);
    case 'precision': {
      const whole = rule.precision - rule.scale;
      if (type.name === 'int' || type.name === 'bigint')
        return `(${value.typed} >= ${10n ** BigInt(whole)} OR ${value.typed} <= -${10n ** BigInt(whole)})`;
      // The rule needs the value as it came from the source, because `typed` of a decimal is rounded.
      const number = `${ref}::numeric`;
      const isTooLarge = `${number} >= 1e${whole} OR ${number} <= -1e${whole}`;
      return `(${isTooLarge} OR (scale(${number}) > ${rule.scale} AND ${number} <> round(${number}, ${rule.scale})))`;
    }
    case 'format':
      return `NOT ${hasFormat(sql, value.text, rule.format)}`;
    case 'not_in_future':
      return `${value.typed} > ${type.name === 'date' ? 'current_date' : 'now()'}`;
    case 'expression':
      return `${expressionRefs.get(index)} IS FALSE`;
    default:
      return rule satisfies never;
  }
}

/**
 * SQL for the bound of `min` or `max`. For a whole-number type, a bound with a fraction or with more than 18 digits is compared as numeric.
 * The sub-select makes PostgreSQL parse the text of the bound once instead of once for each row.
 */
function bound(sql: SqlBuilder, written: string, type: ResolvedType): string {
  const whole = comparisonType(type) === 'bigint' && !/^[+-]?\d{1,18}$/.test(written);
  return `(SELECT ${sql.bind(written, `text::${whole ? 'numeric' : comparisonType(type)}`)})`;
}
