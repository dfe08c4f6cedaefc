import { aggregateFunctions } from '../../functions/aggregates.js';
import { childrenOf, type Expression, shapeOf, walk } from '../../syntax/cypher-ast.js';
import { freeVariables } from '../../syntax/free-variables.js';
import { type ExpressionPlace, type RunningQuery } from './running-query.js';

export type AggregateCall = Expression & { kind: 'call' | 'countAll' };

export function isAggregateCall(expression: Expression): expression is AggregateCall {
  return expression.kind === 'countAll' || (expression.kind === 'call' && Object.hasOwn(aggregateFunctions, expression.name.toLowerCase()));
}

export function hasAggregateCall(expression: Expression): boolean {
  return isAggregateCall(expression) || childrenOf(expression).some(hasAggregateCall);
}

/** The aggregate calls in some expressions, by their shape, so that equal calls occur once. Checks that no aggregate contains another. */
export function aggregateCallsIn(expressions: Expression[], query: RunningQuery): Map<string, AggregateCall> {
  const found = new Map<string, AggregateCall>();
  for (const expression of expressions)
    walk(expression, inner => {
      if (!isAggregateCall(inner)) return;
      found.set(shapeOf(inner), inner);
      for (const child of childrenOf(inner)) {
        if (hasAggregateCall(child))
          throw query.error('NestedAggregation', { zh: '聚合函数不能嵌套', en: 'An aggregate cannot contain another' }, child.position);
        if (child.kind === 'call' && child.name.toLowerCase() === 'rand')
          throw query.error(
            'NonConstantExpression',
            { zh: '聚合中不能使用 rand()', en: 'An aggregate cannot take rand()' },
            child.position,
          );
      }
    });
  return found;
}

/**
 * Refuses an expression with aggregates that has no single value in its group. Outside its aggregates it may have only constants, and
 * variables and properties that are columns themselves. Subqueries and patterns in it may also declare variables.
 */
export function checkUnambiguous(expression: Expression, keys: readonly Expression[], { query, scope }: ExpressionPlace): void {
  const shapes = new Set(keys.filter(key => key.kind === 'variable' || key.kind === 'property').map(shapeOf));
  check(expression, new Set());

  function check(inner: Expression, own: ReadonlySet<string>): void {
    if (isAggregateCall(inner) || shapes.has(shapeOf(inner))) return;
    if (inner.kind === 'variable' || inner.kind === 'subquery' || inner.kind === 'pattern' || inner.kind === 'patternComprehension') {
      for (const { name, position } of freeVariables(inner, scope.variables.keys()))
        if (!own.has(name) && !shapes.has(shapeOf({ kind: 'variable', name, position }))) throw ambiguous(name, position, query);
      return;
    }
    const ownInside = 'variable' in inner ? new Set([...own, inner.variable, ...('accumulator' in inner ? [inner.accumulator] : [])]) : own;
    for (const child of childrenOf(inner)) check(child, ownInside);
  }
}

function ambiguous(name: string, position: number, query: RunningQuery): Error {
  return query.error(
    'AmbiguousAggregationExpression',
    {
      zh: `${name} 在聚合旁没有唯一的值；请将其作为单独的一列返回，或放入聚合中`,
      en: `${name} has no single value beside an aggregate; return it as a column of its own, or aggregate it`,
    },
    position,
  );
}
