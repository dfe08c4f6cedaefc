import { functionName, type Node } from './constant-sql.js';
import { type Measure } from './measure.js';
import { type QuantileContext, quantileOf } from './quantile-of.js';
import { numberConstant } from './tree-constants.js';
import { integerType, numberType, type Typed, type ValueType } from './target-dialect.js';

const deviations = new Set(['stddev', 'stddev_samp', 'variance', 'var_samp']);

/**
 * Translates an aggregate. The result is one aggregate that the target computes exactly, or several aggregates that PostgreSQL combines to
 * the exact result of its own aggregate.
 */
export function measureOf(node: unknown, name: string, translator: QuantileContext, expression: (node: unknown) => Typed): Measure {
  const { dialect } = translator;
  const { A_Expr, FuncCall } = node as Node;
  if (A_Expr?.kind === 'AEXPR_NULLIF') {
    const inner = measureOf(A_Expr.lexpr, name, translator, expression);
    return { ...inner, local: `NULLIF(${inner.local}, ${numberConstant(A_Expr.rexpr)})` };
  }
  if (!FuncCall) return translator.refuse('an aggregate of this form');
  const fn = functionName(FuncCall);
  // A quantile is written as `trim_scale((percentile_cont(…) …)::numeric)`.
  if (fn === 'trim_scale') {
    const { TypeCast } = (FuncCall.args as Node[])[0]!;
    const inner = measureOf(TypeCast!.arg, name, translator, expression);
    return { ...inner, local: `trim_scale((${inner.local})::numeric)` };
  }
  const filter = FuncCall.agg_filter === undefined ? null : expression(FuncCall.agg_filter).sql;
  const chosen = (sql: string): string => (filter === null ? sql : `(CASE WHEN ${filter} THEN ${sql} END)`);
  const args = (FuncCall.args ?? []) as unknown[];
  const column = (suffix: string, typed: Typed): Typed & { name: string } => ({ ...typed, name: `${name}${suffix}` });
  const one = (typed: Typed): Measure => ({ name, columns: [column('', typed)], local: `"${name}"` });
  const count = (sql: string): Typed => ({ ...integerType('bigint'), sql: `COUNT(${sql})` });
  const number = (): Typed => {
    const value = expression(args[0]);
    if (value.kind !== 'number')
      translator.refuse(`${fn.toUpperCase()} of ${value.kind === 'float' ? 'floating-point numbers' : 'a value that is not a number'}`);
    return value;
  };
  const sumOf = (value: Typed): Typed => {
    const type = numberType(value.whole + 20, value.scale);
    if (type.whole + type.scale > dialect.mostDigits) translator.refuse(`a sum of numbers of ${value.whole + value.scale} digits`);
    return { ...type, sql: dialect.sum({ ...value, sql: chosen(value.sql) }) };
  };

  if (FuncCall.agg_within_group) return quantileOf(FuncCall, name, translator, expression);
  switch (fn) {
    case 'count':
      if (FuncCall.agg_star) return one(count(filter === null ? '*' : chosen('1')));
      return one(FuncCall.agg_distinct ? countDistinct(args[0]) : count(chosen(expression(args[0]).sql)));
    case 'sum':
      return one(sumOf(number()));
    case 'min':
    case 'max': {
      const value = expression(args[0]);
      if (value.kind === 'text' || value.kind === 'boolean')
        translator.refuse(`the order of texts (${fn.toUpperCase()}), which depends on the database`);
      if (value.kind === 'float') translator.refuse('floating-point numbers');
      return one({ ...value, sql: `${fn.toUpperCase()}(${dialect.argument(chosen(value.sql))})` });
    }
    case 'avg': {
      const value = number();
      const [sum, n] = [column('s', sumOf(value)), column('n', count(chosen(value.sql)))];
      return { name, columns: [sum, n], local: `${digitsOf(value, sum.name)} / NULLIF("${n.name}", 0)` };
    }
    default: {
      if (!deviations.has(fn)) return translator.refuse(fn.toUpperCase());
      const value = number();
      const decimal = dialect.toDecimal(value);
      const square: Typed = { ...numberType(2 * value.whole, 2 * value.scale), sql: `(${decimal} * ${decimal})` };
      if (square.scale > dialect.mostScale) translator.refuse(`${fn.toUpperCase()} of numbers of ${value.scale} decimals`);
      const [sum, squares, n] = [column('s', sumOf(value)), column('q', sumOf(square)), column('n', count(chosen(value.sql)))];
      // These are the steps of PostgreSQL's function numeric_stddev_internal, so that the result has the same digits.
      const [total, ofSquares] = [sum, squares].map(part => digitsOf(value, part.name));
      const variance = `(GREATEST("${n.name}" * ${ofSquares} - ${total} * ${total}, 0) / NULLIF("${n.name}" * ("${n.name}" - 1), 0))`;
      const isRoot = fn.startsWith('stddev');
      return { name, columns: [sum, squares, n], local: isRoot ? `round(sqrt(${variance} * 1.0000000000), scale(${variance}))` : variance };
    }
  }

  function countDistinct(argument: unknown): Typed {
    const { RowExpr } = argument as Node;
    const values = (RowExpr ? (RowExpr.args as unknown[]) : [argument]).map(expression);
    if (values.some(({ kind }) => kind === 'float')) translator.refuse('floating-point numbers');
    const complete = values.map(value => ({ ...value, sql: chosen(value.sql) }));
    return { ...integerType('bigint'), sql: dialect.countDistinct(complete) };
  }
}

/**
 * SQL of a column of the result with the scale that PostgreSQL would give it. The scale of a quotient depends on the scales of its
 * operands.
 */
function digitsOf({ wasFloat }: ValueType, part: string): string {
  return wasFloat ? `trim_scale("${part}")` : `"${part}"`;
}
