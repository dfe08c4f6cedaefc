import { type Guard, type GuardedExpression, guardPrefix } from '../../sql-guard/guard-expression.js';
import { nameParts, type NodeFields } from '../../sql-guard/walk-tree.js';
import { withoutLength } from '../../sql/without-length.js';

/** Returns the PostgreSQL type of a column from its name and the qualifier before the name; undefined if there is no such column. */
export type TypeOf = (column: string, qualifier: string | null) => string | undefined;

/** Kind of a value: `other` is certainly not a number, such as a date; `unknown` may be a number or anything else. */
type Kind = 'integer' | 'decimal' | 'other' | 'unknown';

const integers: ReadonlySet<string> = new Set(['smallint', 'integer', 'bigint', 'int2', 'int4', 'int8']);
/** Types whose values count as decimals. Columns of floating-point types are read as numeric. */
const decimals: ReadonlySet<string> = new Set(['numeric', 'real', 'double precision', 'float4', 'float8']);

/** Wraps a guard: integers in SQL of users are added, multiplied and divided as decimals, on PostgreSQL as on other databases. */
export function exactly(guard: Guard, typeOf: TypeOf): Guard {
  return (text, isRewritten) => {
    const guarded = guard(text, isRewritten);
    const exact = inDecimals(guarded, typeOf);
    return exact === guarded.text ? guarded : guard(exact, true);
  };
}

/** Functions with integer arguments. The value is the index of the first argument that must stay an integer. */
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
 * Rewrites the text of an expression: each sum, product and quotient of integers gets a decimal operand that changes no value (`1` or `0`),
 * so that no quotient is cut and no sum or product overflows. The decimal goes before the operator, with an operator of the same rank, so
 * that the rest of the text keeps its meaning: `a / b` becomes `a * 1::numeric / b`.
 */
export function inDecimals({ text, tree }: GuardedExpression, typeOf: TypeOf): string {
  const places: { offset: number; neutral: string }[] = [];
  const kinds = new Kinds(typeOf);
  visit(tree);
  // The parser returns positions in bytes, counted from the beginning of the statement that the guard puts around the text.
  let bytes = Buffer.from(text);
  for (const { offset, neutral } of places.sort((a, b) => b.offset - a.offset))
    bytes = Buffer.concat([bytes.subarray(0, offset), Buffer.from(neutral), bytes.subarray(offset)]);
  return bytes.toString();

  function visit(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    const { A_Expr: expression, FuncCall: call, A_Indices: subscript } = value as Record<string, NodeFields | undefined>;
    if (subscript) return;
    if (expression) {
      // Arithmetic with a date is not rewritten, because only an integer can be added to a date.
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
  // A sum of two constants stays an integer, because PostgreSQL does not use an index on an integer column for a comparison with a decimal.
  if ([expression.lexpr, expression.rexpr].every(each => 'A_Const' in (each as object))) return null;
  // An unknown value may be a date, and a decimal cannot be added to a date.
  return kinds.includes('unknown') ? null : '+ 0::numeric ';
}

const arithmetic: ReadonlySet<string> = new Set(['+', '-', '*', '/', '%']);

function operatorOf({ kind, name }: NodeFields): string {
  return kind === 'AEXPR_OP' ? (nameParts(name).at(-1) ?? '') : '';
}

/**
 * The kinds of the expressions of one tree. The kinds of operands are cached, because each operator of a chain asks for the kinds of
 * all operators before it.
 */
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
    // A sum of an unknown value and an integer stays unknown. Any other arithmetic gives a decimal, because `neutralOf` adds a decimal
    // operand.
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
  // In the tree, an integer beyond 32 bits has the form of a decimal.
  return fval === undefined ? 'other' : /^\d+$/.test(String((fval as { fval: string }).fval)) ? 'integer' : 'decimal';
}

function kindOfType(type = ''): Kind {
  const base = withoutLength(type);
  return integers.has(base) ? 'integer' : decimals.has(base) ? 'decimal' : 'other';
}

/** True for an expression whose value is known to be a number. False if it may be a length of time. */
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

/** Operators with two operands whose value is true, false or NULL. `~ 5` with one operand is a number. */
const comparisons: ReadonlySet<string> = new Set(list('= <> != < <= > >= ~ ~* !~ !~* ^@ @> <@ ? ?| ?& @? @@'));
const tests: ReadonlySet<string> = new Set(
  list('starts_with regexp_like isfinite overlaps jsonb_exists jsonb_path_exists jsonb_path_match'),
);

/** True for an expression whose value is certainly true, false or NULL. */
export function isBoolean({ tree }: Pick<GuardedExpression, 'tree'>, typeOf: TypeOf): boolean {
  const { ColumnRef, A_Const, A_Expr, TypeCast, FuncCall, BoolExpr, NullTest, BooleanTest } = tree as Record<
    string,
    NodeFields | undefined
  >;
  if (BoolExpr ?? NullTest ?? BooleanTest) return true;
  if (ColumnRef) return typeOfReference(ColumnRef, typeOf) === 'boolean';
  if (A_Const) return A_Const.boolval !== undefined;
  if (TypeCast) return nameParts((TypeCast.typeName as NodeFields).names).at(-1) === 'bool';
  if (FuncCall) return tests.has(nameParts(FuncCall.funcname).at(-1) ?? '');
  if (!A_Expr) return false;
  return A_Expr.kind === 'AEXPR_OP' ? A_Expr.lexpr !== undefined && comparisons.has(operatorOf(A_Expr)) : A_Expr.kind !== 'AEXPR_NULLIF';
}
