import { type Expression, type Name } from './cypher-ast.js';
import { extended, type ScopedVisitor, walkInScope } from './walk-in-scope.js';

/**
 * The variables of the surrounding query that an expression reads, once for each place that reads one. Places inside its subqueries and
 * patterns count too.
 * @param around the names of the variables that are visible around the expression. A pattern that names any other variable declares it, so
 * such a name is free only where an expression reads it.
 */
export function freeVariables(expression: Expression, around: Iterable<string>): Name[] {
  const found: Name[] = [];
  const visitor: ScopedVisitor<'around' | 'own'> = {
    see: (inner, scope) => {
      if (inner.kind === 'variable' && scope.get(inner.name) !== 'own') found.push(inner);
    },
    declare: (patterns, scope) => {
      const names = extended(scope, []);
      for (const { variable, nodes, edges, position } of patterns)
        for (const { variable: name, position: at } of [...nodes, ...edges, { variable, position }]) {
          if (name === null) continue;
          if (scope.get(name) === 'around') found.push({ name, position: at });
          else names.set(name, 'own');
        }
      return names;
    },
    itemOf: () => 'own',
    columnOf: () => 'own',
  };
  walkInScope(expression, new Map([...around].map(name => [name, 'around'] as const)), visitor);
  return found;
}
