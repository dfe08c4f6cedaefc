import { aggregateFunctions } from '../../functions/aggregates.js';
import { childrenOf, type Expression, shapeOf, walk } from '../../syntax/cypher-ast.js';
import { type RunningQuery } from './running-query.js';

export type AggregateCall = Expression & { kind: 'call' | 'countAll' };

export function isAggregateCall(expression: Expression): expression is AggregateCall {
  return expression.kind === 'countAll' || (expression.kind === 'call' && Object.hasOwn(aggregateFunctions, expression.name.toLowerCase()));
}

export function hasAggregateCall(expression: Expression): boolean {
  return isAggregateCall(expression) || childrenOf(expression).some(hasAggregateCall);
}

/** The aggregates of expressions, each shape once. Checks that none contains another. */
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
 * Refuses what has no single value in its group: beside an aggregate only constants may stand, and variables and their properties that
 * are columns of their own.
 */
export function checkUnambiguous(expression: Expression, keys: readonly Expression[], query: RunningQuery): void {
  const shapes = new Set(keys.filter(key => key.kind === 'variable' || key.kind === 'property').map(shapeOf));
  check(expression, new Set());

  function check(inner: Expression, own: ReadonlySet<string>): void {
    if (isAggregateCall(inner) || shapes.has(shapeOf(inner))) return;
    if (inner.kind === 'variable' && !own.has(inner.name))
      throw query.error(
        'AmbiguousAggregationExpression',
        {
          zh: `${inner.name} 在聚合旁没有唯一的值；请将其作为单独的一列返回，或放入聚合中`,
          en: `${inner.name} has no single value beside an aggregate; return it as a column of its own, or aggregate it`,
        },
        inner.position,
      );
    const ownInside = 'variable' in inner ? new Set([...own, inner.variable, ...('accumulator' in inner ? [inner.accumulator] : [])]) : own;
    for (const child of childrenOf(inner)) check(child, ownInside);
  }
}
