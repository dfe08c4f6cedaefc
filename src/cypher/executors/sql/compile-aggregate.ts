import { formOf } from '../../semantics/forms.js';
import { type TypedAggregate, type TypedExpression } from '../../semantics/typed-tree.js';
import { collation, compileExpression, compilePresence, type ExpressionScope, failing } from './compile-expression.js';

/**
 * Compiles an aggregate over the matches of a group. All aggregates ignore null. Over no values, count is 0 and every other aggregate is
 * NULL.
 */
export function compileAggregate({ function: name, distinct, argument, type }: TypedAggregate, scope: ExpressionScope): string {
  if (argument === null) return 'count(*)';
  const isDistinct = distinct ? 'DISTINCT ' : '';
  const form = formOf(argument.type);
  if (name === 'count') {
    const counted = distinct && form !== null ? compileExpression(argument, form, scope) : compilePresence(argument, scope);
    return `count(${isDistinct}${counted})`;
  }
  const value = compileExpression(argument, form!, scope);
  switch (name) {
    case 'sum':
      return type === 'integer' ? `coalesce(sum(${isDistinct}${value}), 0)::int8` : `sum(${isDistinct}${value})`;
    case 'avg': {
      const [sum, count] = [`sum(${isDistinct}${value})`, `count(${isDistinct}${value})`];
      return type === 'float' ? `(${sum}::float8 / nullif(${count}, 0)::float8)` : meanOfDecimals(sum, count);
    }
    case 'min':
    case 'max':
      if (form === 'boolean') return `${name === 'min' ? 'bool_and' : 'bool_or'}(${value})`;
      return `${name}(${value}${collation(form!)})`;
    default:
      return name satisfies never;
  }
}

/**
 * SQL for a mean, rounded as `quotientOf` rounds a quotient of 1 or more: to 20 decimals, halves away from zero. A mean between -1 and 1
 * other than 0 fails.
 */
function meanOfDecimals(sum: string, count: string): string {
  return `(CASE WHEN ${sum} = 0 THEN 0::numeric WHEN abs(${sum}) >= ${count} AND scale(${sum}) <= 60 THEN round(round(${sum}, 80) / ${count}, 20) WHEN ${count} > 0 THEN ${failing(`${sum}::text`)}::numeric END)`;
}

/** SQL for a key of ORDER BY. NULL comes last ascending and first descending, as null does in memory. */
export function sortKey(expression: TypedExpression, descending: boolean, scope: ExpressionScope): string {
  const form = formOf(expression.type);
  const key = form === null ? compilePresence(expression, scope) : `${compileExpression(expression, form, scope)}${collation(form)}`;
  return descending ? `${key} DESC` : key;
}
