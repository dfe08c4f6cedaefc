import { type Expression, type Name } from './cypher-ast.js';
import { extended, type ScopedVisitor, walkInScope } from './walk-in-scope.js';

/**
 * The variables that an expression reads from around it, once for each place where it reads them, also inside its queries and patterns.
 * @param around the names of the variables that are visible around the expression. Any other name is free only where an expression reads
 * it: a pattern declares it.
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
