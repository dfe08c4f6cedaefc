import { type Guard, type GuardedExpression, guardPrefix } from '../../sql-guard/guard-expression.js';
import { nameParts, type NodeFields } from '../../sql-guard/walk-tree.js';
import { withoutLength } from '../../sql/without-length.js';

/** The PostgreSQL type of a column by its name, and the qualifier before it. */
export type TypeOf = (column: string, qualifier: string | null) => string | undefined;

/** `other` is a value that is not a number, such as a date; `unknown` may be anything. */
type Kind = 'integer' | 'decimal' | 'other' | 'unknown';

const integers: ReadonlySet<string> = new Set(['smallint', 'integer', 'bigint', 'int2', 'int4', 'int8']);
/** Floats are read as numeric. */
const decimals: ReadonlySet<string> = new Set(['numeric', 'real', 'double precision', 'float4', 'float8']);

/** Lets SQL of users add, multiply and divide integers as decimals, wherever it stands, as other databases do. */
export function exactly(guard: Guard, typeOf: TypeOf): Guard {
  return (text, isRewritten) => {
    const guarded = guard(text, isRewritten);
    const exact = inDecimals(guarded, typeOf);
    return exact === guarded.text ? guarded : guard(exact, true);
  };
}

/** Functions whose arguments from this place on must be integers. */
const takesIntegers = new Map([
  ...list('make_date make_time make_timestamp make_timestamptz width_bucket').map(name => [name, 0] as const),
  ...list('round trunc substring substr left right lpad rpad split_part overlay array_length array_lower array_upper').map(
    name => [name, 1] as const,
  ),
]);

function list(names: string): string[] {
  return names.split(' ');
}

/**
 * The text with a decimal in each sum, product and quotient of integers, so that none is cut or too large. The neutral number goes
 * before an operator of the same rank, which leaves everything else in its place: `a / b` becomes `a * 1::numeric / b`.
 */
export function inDecimals({ text, tree }: GuardedExpression, typeOf: TypeOf): string {
  const places: { offset: number; neutral: string }[] = [];
  const kinds = new Kinds(typeOf);
  visit(tree);
  // The parser counts bytes, from the beginning of a statement around the text.
  let bytes = Buffer.from(text);
  for (const { offset, neutral } of places.sort((a, b) => b.offset - a.offset))
    bytes = Buffer.concat([bytes.subarray(0, offset), Buffer.from(neutral), bytes.subarray(offset)]);
  return bytes.toString();

  function visit(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    const { A_Expr: expression, FuncCall: call, A_Indices: subscript } = value as Record<string, NodeFields | undefined>;
    if (subscript) return;
    if (expression) {
      // A date takes a whole number of days.
      if (arithmetic.has(operatorOf(expression)) && kinds.ofOperands(expression).includes('other')) return;
      const neutral = neutralOf(expression, kinds);
      if (neutral !== null) places.push({ offset: Number(expression.location) - guardPrefix.length, neutral });
    }
    if (call) visit(((call.args ?? []) as unknown[]).slice(0, takesIntegers.get(nameParts(call.funcname).at(-1) ?? '')));
    else for (const each of Object.values(value)) visit(each);
  }
}

function neutralOf(expression: NodeFields, kindsOf: Kinds): string | null {
  const operator = operatorOf(expression);
  if (!arithmetic.has(operator) || expression.lexpr === undefined) return null;
  const kinds = kindsOf.ofOperands(expression);
  if (kinds.includes('other') || kinds.includes('decimal')) return null;
  if (operator !== '+' && operator !== '-') return '* 1::numeric ';
  // An index on an integer is not used beside a decimal, and constants do not grow large.
  if ([expression.lexpr, expression.rexpr].every(each => 'A_Const' in (each as object))) return null;
  // An unknown value may be a date, to which only an integer can be added.
  return kinds.includes('unknown') ? null : '+ 0::numeric ';
}

const arithmetic: ReadonlySet<string> = new Set(['+', '-', '*', '/', '%']);

function operatorOf({ kind, name }: NodeFields): string {
  return kind === 'AEXPR_OP' ? (nameParts(name).at(-1) ?? '') : '';
}

/** The kinds of the parts of one tree. A chain of operators asks for those of its beginning at each of them, so they are kept. */
class Kinds {
  private readonly operands = new Map<NodeFields, Kind[]>();

  constructor(private readonly typeOf: TypeOf) {}

  of(wrapped: unknown): Kind {
    const { ColumnRef, A_Const, A_Expr, TypeCast } = wrapped as Record<string, NodeFields | undefined>;
    if (ColumnRef) return kindOfType(typeOfReference(ColumnRef, this.typeOf));
    if (A_Const) return kindOfConstant(A_Const);
    if (TypeCast) return kindOfType(nameParts((TypeCast.typeName as NodeFields).names).at(-1) ?? '');
    const operator = A_Expr ? operatorOf(A_Expr) : '';
    if (!A_Expr || !arithmetic.has(operator)) return 'unknown';
    const kinds = this.ofOperands(A_Expr);
    if (kinds.length === 1) return kinds[0]!;
    if (kinds.includes('other')) return 'other';
    // Without the decimal it would be an integer.
    return kinds.includes('unknown') && (operator === '+' || operator === '-') && !kinds.includes('decimal') ? 'unknown' : 'decimal';
  }

  ofOperands(expression: NodeFields): Kind[] {
    const known = this.operands.get(expression);
    if (known) return known;
    const kinds = [expression.lexpr, expression.rexpr].filter(each => each !== undefined).map(each => this.of(each));
    this.operands.set(expression, kinds);
    return kinds;
  }
}

export function typeOfReference({ fields }: NodeFields, typeOf: TypeOf): string | undefined {
  const parts = nameParts(fields);
  return typeOf(parts.at(-1) ?? '', parts.length > 1 ? (parts[0] ?? null) : null);
}

function kindOfConstant({ ival, fval }: NodeFields): Kind {
  if (ival !== undefined) return 'integer';
  // An integer beyond 32 bits is written like a fraction in the tree.
  return fval === undefined ? 'other' : /^\d+$/.test(String((fval as { fval: string }).fval)) ? 'integer' : 'decimal';
}

function kindOfType(type = ''): Kind {
  const base = withoutLength(type);
  return integers.has(base) ? 'integer' : decimals.has(base) ? 'decimal' : 'other';
}

/** True for an expression whose value is known to be a number, where others may be lengths of time. */
export function isNumber({ tree }: GuardedExpression, typeOf: TypeOf): boolean {
  return ['integer', 'decimal'].includes(new Kinds(typeOf).of(tree));
}

/** True for an expression whose value is certainly neither true nor false, such as a number. */
export function isNoCondition({ tree }: GuardedExpression, typeOf: TypeOf): boolean {
  const { ColumnRef, A_Const, TypeCast } = tree as Record<string, NodeFields | undefined>;
  if (ColumnRef) return !['boolean', 'other', undefined].includes(typeOfReference(ColumnRef, typeOf));
  if (A_Const) return A_Const.boolval === undefined && A_Const.isnull === undefined;
  if (TypeCast) return nameParts((TypeCast.typeName as NodeFields).names).at(-1) !== 'bool';
  return ['integer', 'decimal'].includes(new Kinds(typeOf).of(tree));
}

const comparisons: ReadonlySet<string> = new Set(['=', '<>', '!=', '<', '<=', '>', '>=']);

/** True for an expression whose value is certainly true, false or NULL. */
export function isBoolean({ tree }: GuardedExpression, typeOf: TypeOf): boolean {
  const { ColumnRef, A_Const, A_Expr, TypeCast, BoolExpr, NullTest, BooleanTest } = tree as Record<string, NodeFields | undefined>;
  if (BoolExpr ?? NullTest ?? BooleanTest) return true;
  if (ColumnRef) return typeOfReference(ColumnRef, typeOf) === 'boolean';
  if (A_Const) return A_Const.boolval !== undefined;
  if (TypeCast) return nameParts((TypeCast.typeName as NodeFields).names).at(-1) === 'bool';
  if (!A_Expr) return false;
  return A_Expr.kind === 'AEXPR_OP' ? comparisons.has(operatorOf(A_Expr)) : A_Expr.kind !== 'AEXPR_NULLIF';
}
