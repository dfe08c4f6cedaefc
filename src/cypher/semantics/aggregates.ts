import { type Expression, childrenOf } from '../syntax/cypher-ast.js';

const aggregates: ReadonlySet<string> = new Set(['count', 'sum', 'avg', 'min', 'max', 'collect']);
const unbuiltAggregates: ReadonlySet<string> = new Set(['stdev', 'stdevp', 'percentilecont', 'percentiledisc']);

export function isAggregate(expression: Expression): boolean {
  return expression.kind === 'countAll' || (expression.kind === 'call' && aggregates.has(expression.name.toLowerCase()));
}

export function isUnbuiltAggregate(name: string): boolean {
  return unbuiltAggregates.has(name.toLowerCase());
}

export function hasAggregate(expression: Expression): boolean {
  return isAggregate(expression) || childrenOf(expression).some(hasAggregate);
}
