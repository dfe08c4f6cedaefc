import { type GuardedExpression, guardPrefix } from '../../sql-guard/guard-expression.js';
import { nameParts, type NodeFields } from '../../sql-guard/walk-tree.js';

/** The PostgreSQL type of a column by its name. */
export type TypeOf = (column: string) => string | undefined;

/** `other` is a value that is no number, such as a date; `unknown` may be anything. */
type Kind = 'integer' | 'decimal' | 'other' | 'unknown';

const integers: ReadonlySet<string> = new Set(['smallint', 'integer', 'bigint', 'int2', 'int4', 'int8']);
/** Floats are read as numeric. */
const decimals: ReadonlySet<string> = new Set(['numeric', 'real', 'double precision', 'float4', 'float8']);

/**
 * The text with a decimal in each sum, product and quotient of integers, so that none is cut or too large. The neutral number goes
 * before an operator of the same rank, which leaves everything else in its place: `a / b` becomes `a * 1::numeric / b`.
 */
export function inDecimals({ text, tree }: GuardedExpression, typeOf: TypeOf): string {
  const places: { offset: number; neutral: string }[] = [];
  visit(tree);
  // The parser counts bytes, from the beginning of a statement around the text.
  let bytes = Buffer.from(text);
  for (const { offset, neutral } of places.sort((a, b) => b.offset - a.offset))
    bytes = Buffer.concat([bytes.subarray(0, offset), Buffer.from(neutral), bytes.subarray(offset)]);
  return bytes.toString();

  function visit(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    const { A_Expr: expression } = value as { A_Expr?: NodeFields };
    if (expression) {
      const neutral = neutralOf(expression, typeOf);
      if (neutral !== null) places.push({ offset: Number(expression.location) - guardPrefix.length, neutral });
    }
    for (const each of Object.values(value)) visit(each);
  }
}

function neutralOf(expression: NodeFields, typeOf: TypeOf): string | null {
  const operator = operatorOf(expression);
  if (!arithmetic.has(operator) || expression.lexpr === undefined) return null;
  const kinds = [kindOf(expression.lexpr, typeOf), kindOf(expression.rexpr, typeOf)];
  if (kinds.includes('other') || kinds.includes('decimal')) return null;
  if (operator !== '+' && operator !== '-') return '* 1::numeric ';
  // What is unknown may be a date, to which only an integer can be added.
  return kinds.includes('unknown') ? null : '+ 0::numeric ';
}

const arithmetic: ReadonlySet<string> = new Set(['+', '-', '*', '/', '%']);

function operatorOf({ kind, name }: NodeFields): string {
  return kind === 'AEXPR_OP' ? (nameParts(name).at(-1) ?? '') : '';
}

function kindOf(wrapped: unknown, typeOf: TypeOf): Kind {
  const { ColumnRef, A_Const, A_Expr, TypeCast } = wrapped as Record<string, NodeFields | undefined>;
  if (ColumnRef) return kindOfType(typeOf(nameParts(ColumnRef.fields).at(-1) ?? ''));
  if (A_Const) return kindOfConstant(A_Const);
  if (TypeCast) return kindOfType(nameParts((TypeCast.typeName as NodeFields).names).at(-1) ?? '');
  const operator = A_Expr ? operatorOf(A_Expr) : '';
  if (!A_Expr || !arithmetic.has(operator)) return 'unknown';
  const kinds = [A_Expr.lexpr, A_Expr.rexpr].flatMap(each => (each === undefined ? [] : [kindOf(each, typeOf)]));
  if (kinds.length === 1) return kinds[0]!;
  if (kinds.includes('other')) return 'other';
  // Without the decimal it would be an integer.
  return kinds.includes('unknown') && (operator === '+' || operator === '-') && !kinds.includes('decimal') ? 'unknown' : 'decimal';
}

function kindOfConstant({ ival, fval }: NodeFields): Kind {
  if (ival !== undefined) return 'integer';
  // An integer beyond 32 bits is written like a fraction in the tree.
  return fval === undefined ? 'other' : /^\d+$/.test(String((fval as { fval: string }).fval)) ? 'integer' : 'decimal';
}

function kindOfType(type = ''): Kind {
  const base = type.replace(/\(.*\)/, '');
  return integers.has(base) ? 'integer' : decimals.has(base) ? 'decimal' : 'other';
}

/** True for an expression whose value is known to be a number, where others may be lengths of time. */
export function isNumber({ tree }: GuardedExpression, typeOf: TypeOf): boolean {
  return ['integer', 'decimal'].includes(kindOf(tree, typeOf));
}

/** True for an expression whose value is certainly neither true nor false, such as a number. */
export function isNoCondition({ tree }: GuardedExpression, typeOf: TypeOf): boolean {
  const { ColumnRef, A_Const, TypeCast } = tree as Record<string, NodeFields | undefined>;
  if (ColumnRef) return !['boolean', 'other', undefined].includes(typeOf(nameParts(ColumnRef.fields).at(-1) ?? ''));
  if (A_Const) return A_Const.boolval === undefined && A_Const.isnull === undefined;
  if (TypeCast) return nameParts((TypeCast.typeName as NodeFields).names).at(-1) !== 'bool';
  return ['integer', 'decimal'].includes(kindOf(tree, typeOf));
}

const comparisons: ReadonlySet<string> = new Set(['=', '<>', '!=', '<', '<=', '>', '>=']);

/** True for an expression whose value is certainly true, false or NULL. */
export function isBoolean({ tree }: GuardedExpression, typeOf: TypeOf): boolean {
  const { ColumnRef, A_Const, A_Expr, TypeCast, BoolExpr, NullTest, BooleanTest } = tree as Record<string, NodeFields | undefined>;
  if (BoolExpr ?? NullTest ?? BooleanTest) return true;
  if (ColumnRef) return typeOf(nameParts(ColumnRef.fields).at(-1) ?? '') === 'boolean';
  if (A_Const) return A_Const.boolval !== undefined;
  if (TypeCast) return nameParts((TypeCast.typeName as NodeFields).names).at(-1) === 'bool';
  if (!A_Expr) return false;
  return A_Expr.kind === 'AEXPR_OP' ? comparisons.has(operatorOf(A_Expr)) : A_Expr.kind !== 'AEXPR_NULLIF';
}
