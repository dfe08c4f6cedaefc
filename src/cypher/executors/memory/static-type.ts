import { type Expression } from '../../syntax/cypher-ast.js';
import { type Scope, type StaticType } from './scope.js';

/** What can be told of an expression's value before the query runs. */
export function staticType(expression: Expression, scope: Scope): StaticType {
  switch (expression.kind) {
    case 'literal':
      if (expression.value === null) return 'null';
      return typeof expression.value === 'string' ? 'string' : 'boolean';
    case 'number':
      return expression.integer ? 'integer' : 'float';
    case 'variable':
      return scope.find(expression.name)?.type ?? 'any';
    case 'list':
    case 'listComprehension':
    case 'patternComprehension':
      return 'list';
    case 'map':
      return 'map';
    case 'logical':
    case 'isNull':
    case 'quantifier':
    case 'hasLabels':
      return 'boolean';
    case 'pattern':
      if (expression.pattern.shortest === null) return 'boolean';
      return expression.pattern.shortest === 'one' ? 'path' : 'list';
    case 'subquery':
      return { EXISTS: 'boolean' as const, COUNT: 'integer' as const, COLLECT: 'list' as const }[expression.form];
    case 'countAll':
      return 'integer';
    case 'unary':
      return expression.operator === 'NOT' ? 'boolean' : staticType(expression.operand, scope);
    case 'binary':
      return ['+', '-', '*', '/', '%', '^'].includes(expression.operator) ? 'any' : 'boolean';
    default:
      return 'any';
  }
}

/** What can be told of the items of a list. */
export function itemType(list: Expression, scope: Scope): StaticType {
  if (list.kind !== 'list') return 'any';
  const [first, ...others] = list.items.map(item => staticType(item, scope));
  return first !== undefined && isPlain(first) && others.every(type => type === first) ? first : 'any';
}

/** The types of values that are no node, edge or path, and never can be. */
export function isPlain(type: StaticType): boolean {
  return !['any', 'null', 'node', 'edge', 'edges', 'path'].includes(type);
}
