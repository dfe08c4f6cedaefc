import { type Expression } from '../../syntax/cypher-ast.js';
import { type Scope, type StaticType } from './scope.js';

/** Type of an expression's value as far as it is known before the query runs. */
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

/** Type of the items of a list, if the list is written in the query and all of its items have one plain type; else 'any'. */
export function itemType(list: Expression, scope: Scope): StaticType {
  if (list.kind !== 'list') return 'any';
  const [first, ...others] = list.items.map(item => staticType(item, scope));
  return first !== undefined && isPlain(first) && others.every(type => type === first) ? first : 'any';
}

/** Whether the type is known and is none of node, edge, edges and path. False for 'null'. */
export function isPlain(type: StaticType): boolean {
  return !['any', 'null', 'node', 'edge', 'edges', 'path'].includes(type);
}
