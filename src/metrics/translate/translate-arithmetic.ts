import { type Translator } from './expression-context.js';
import { integerType, numberType, type Typed, widestInteger } from './target-dialect.js';
import { longest, numberConstant } from './tree-constants.js';
import { type Node } from './constant-sql.js';

/** Maximum digits with which every integer fits into 128 bits. */
const mostDigits = 38;

/** Translates `+`, `-` and `*` of numbers. @throws NotInDialectError for other operators and operands */
export function translateArithmetic(operator: string, left: Typed, right: Typed, { dialect, refuse }: Translator): Typed {
  if (!/^[-+*]$/.test(operator) || left.kind !== 'number' || right.kind !== 'number') return refuse(operator);
  const isProduct = operator === '*';
  const type = {
    ...numberType(
      isProduct ? left.whole + right.whole : Math.max(left.whole, right.whole) + 1,
      isProduct ? left.scale + right.scale : Math.max(left.scale, right.scale),
    ),
    integer: widestInteger([left, right]),
    wasFloat: left.wasFloat === true || right.wasFloat === true,
  };
  if (type.whole + type.scale > dialect.mostDigits || type.scale > dialect.mostScale)
    return refuse(`${operator} with ${type.whole + type.scale} digits`);
  return { ...type, sql: `(${dialect.toDecimal(left)} ${operator} ${dialect.toDecimal(right)})` };
}

/**
 * Translates the remainder of integers. The divisor must never be zero: PostgreSQL fails for a zero, and other databases do not.
 * @returns null for other operands
 */
export function translateRemainder(left: Typed, divisor: unknown, { dialect, translate }: Translator): Typed | null {
  const right = translate(divisor);
  const areWhole = [left, right].every(({ kind, whole, scale }) => kind === 'number' && scale === 0 && whole <= mostDigits);
  if (!areWhole || !isNeverZero(divisor)) return null;
  const type = { ...numberType(Math.max(left.whole, right.whole)), integer: widestInteger([left, right]) };
  return { ...type, sql: dialect.remainder(left.sql, right.sql) };
}

/** Whether a divisor is a positive number or `NULLIF(x, 0)`. */
function isNeverZero(divisor: unknown): boolean {
  const { A_Expr } = divisor as Node;
  if (A_Expr?.kind === 'AEXPR_NULLIF') return numberConstant(A_Expr.rexpr) === '0';
  return Number(numberConstant(divisor) ?? 0) > 0;
}

/** Translates a date plus or minus a number of days, and the days between two dates. Null for other operands. */
export function translateDays(operator: string, left: Typed, other: unknown, { dialect, translate }: Translator): Typed | null {
  if (left.kind !== 'date' || !/^[-+]$/.test(operator)) return null;
  const days = numberConstant(other);
  if (days !== null)
    return /^\d{1,6}$/.test(days) && Number(days) <= longest.day
      ? { ...left, sql: dialect.addDays(left.sql, operator === '+' ? Number(days) : -Number(days)) }
      : null;
  if (operator === '+') return null;
  const right = translate(other);
  return right.kind === 'date' ? { ...integerType('integer'), sql: dialect.daysBetween(left.sql, right.sql) } : null;
}

/** Translates `GREATEST` and `LEAST`, which ignore NULL arguments on PostgreSQL. */
export function translateEnds(isGreatest: boolean, args: readonly unknown[], { translate, unify, refuse }: Translator): Typed {
  const name = isGreatest ? 'GREATEST' : 'LEAST';
  const alike = unify(args.map(translate), `${name} of several types`);
  const [first] = alike;
  if (!first || !/^(number|date|timestamp)$/.test(first.kind)) return refuse(`${name} of this form`);
  // A NULL argument is replaced by another argument, because other databases return NULL if any argument is NULL.
  const sqls = alike.map((_, index) => `COALESCE(${[...alike.slice(index), ...alike.slice(0, index)].map(({ sql }) => sql).join(', ')})`);
  return { ...first, sql: alike.length === 1 ? first.sql : `${name}(${sqls.join(', ')})` };
}
