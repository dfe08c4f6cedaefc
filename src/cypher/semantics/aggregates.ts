import { aggregateWords } from './function-words.js';
import { type Expression, childrenOf } from '../syntax/cypher-ast.js';

/** With a query for each. */
export const unbuiltAggregates = {
  stDev: 'MATCH (p:Product) RETURN stDev(p.单价)',
  stDevP: 'MATCH (p:Product) RETURN stDevP(p.单价)',
  percentileCont: 'MATCH (p:Product) RETURN percentileCont(p.单价, 0.5)',
  percentileDisc: 'MATCH (p:Product) RETURN percentileDisc(p.单价, 0.5)',
};

const unbuiltNames: ReadonlySet<string> = new Set(Object.keys(unbuiltAggregates).map(name => name.toLowerCase()));

export function isAggregate(expression: Expression): boolean {
  return expression.kind === 'countAll' || (expression.kind === 'call' && Object.hasOwn(aggregateWords, expression.name.toLowerCase()));
}

export function isUnbuiltAggregate(name: string): boolean {
  return unbuiltNames.has(name.toLowerCase());
}

export function hasAggregate(expression: Expression): boolean {
  return isAggregate(expression) || childrenOf(expression).some(hasAggregate);
}
