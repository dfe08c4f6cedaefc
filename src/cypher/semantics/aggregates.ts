import { aggregateWords } from './function-words.js';
import { type Expression, childrenOf } from '../syntax/cypher-ast.js';

export function isAggregate(expression: Expression): boolean {
  return expression.kind === 'countAll' || (expression.kind === 'call' && Object.hasOwn(aggregateWords, expression.name.toLowerCase()));
}

export function hasAggregate(expression: Expression): boolean {
  return isAggregate(expression) || childrenOf(expression).some(hasAggregate);
}
