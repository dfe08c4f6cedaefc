import {
  type Clause,
  childrenOf,
  type Expression,
  expressionsOf,
  type PathPattern,
  type Projection,
  type UnionQuery,
} from './cypher-ast.js';
import { spend } from './effort.js';

/** The variables visible at a place in a query, each with the value that the walk keeps for it. */
export type Names<T> = ReadonlyMap<string, T>;

/** Work units (see `spend`) to copy a variable to the next scope. */
const unitsOfVariable = 6;

/** The names of both scopes; names of the second scope hide those of the first. */
export function extended<T>(scope: Names<T>, own: Iterable<readonly [string, T]>): Map<string, T> {
  spend(unitsOfVariable * scope.size);
  const names = new Map(scope);
  for (const [name, kept] of own) names.set(name, kept);
  return names;
}

/** Callbacks of a walk through a tree whose variables have scopes. T is the value kept for each variable. */
export interface ScopedVisitor<T> {
  /** Called for an expression before the expressions inside it. If it returns false, the walk skips the expressions inside. */
  see(expression: Expression, scope: Names<T>): boolean | void;
  /**
   * Returns the scope with the variables of matched patterns. The expressions of the patterns' properties are visited afterwards, in this
   * scope.
   */
  declare(patterns: readonly PathPattern[], scope: Names<T>): Names<T>;
  /** Value kept for a variable that stands for an item of the list. The list is null for an accumulator. */
  itemOf(list: Expression | null, scope: Names<T>): T;
  /** Value kept for the column that has this expression. */
  columnOf(expression: Expression, scope: Names<T>): T;
}

/** Walks an expression and all expressions inside it, also those in queries and patterns, parents first. */
export function walkInScope<T>(expression: Expression, scope: Names<T>, visitor: ScopedVisitor<T>): void {
  if (visitor.see(expression, scope) === false) return;
  const inside = (inner: Expression | null, seen: Names<T> = scope) => inner && walkInScope(inner, seen, visitor);
  switch (expression.kind) {
    case 'listComprehension':
    case 'quantifier': {
      const { list, variable, where } = expression;
      inside(list);
      const own = extended(scope, [[variable, visitor.itemOf(list, scope)]]);
      inside(where, own);
      if (expression.kind === 'listComprehension') inside(expression.projection, own);
      return;
    }
    case 'reduce': {
      const { list, variable, accumulator, initial, step } = expression;
      inside(initial);
      inside(list);
      const own = extended(scope, [
        [variable, visitor.itemOf(list, scope)],
        [accumulator, visitor.itemOf(null, scope)],
      ]);
      inside(step, own);
      return;
    }
    case 'pattern':
      walkPatterns([expression.pattern], scope, visitor);
      return;
    case 'patternComprehension': {
      const own = walkPatterns([expression.pattern], scope, visitor);
      inside(expression.where, own);
      inside(expression.projection, own);
      return;
    }
    case 'subquery':
      walkUnion(expression.query, scope, visitor);
      return;
    default:
      for (const child of childrenOf(expression)) inside(child);
  }
}

export function walkUnion<T>({ queries }: UnionQuery, scope: Names<T>, visitor: ScopedVisitor<T>): void {
  for (const clauses of queries) walkClauses(clauses, scope, visitor);
}

/** Walks clauses that follow each other. Returns the scope after them. */
export function walkClauses<T>(clauses: readonly Clause[], before: Names<T>, visitor: ScopedVisitor<T>): Names<T> {
  let scope = before;
  for (const clause of clauses) {
    if (clause.kind === 'match') {
      scope = walkPatterns(clause.patterns, scope, visitor);
      if (clause.where) walkInScope(clause.where, scope, visitor);
    } else if (clause.kind === 'unwind') {
      walkInScope(clause.list, scope, visitor);
      scope = extended(scope, [[clause.variable, visitor.itemOf(clause.list, scope)]]);
    } else scope = walkProjection(clause, clause.kind === 'with' ? clause.where : null, scope, visitor);
  }
  return scope;
}

function walkPatterns<T>(patterns: readonly PathPattern[], before: Names<T>, visitor: ScopedVisitor<T>): Names<T> {
  const scope = visitor.declare(patterns, before);
  for (const value of patterns.flatMap(expressionsOf)) walkInScope(value, scope, visitor);
  return scope;
}

/** Walks WITH or RETURN. ORDER BY and WHERE see the columns, and the earlier variables that no column hides. */
function walkProjection<T>(
  { star, items, orderBy, skip, limit }: Projection,
  where: Expression | null,
  scope: Names<T>,
  visitor: ScopedVisitor<T>,
): Names<T> {
  for (const { expression } of items) walkInScope(expression, scope, visitor);
  const own = items.map(({ name, expression }) => [name, visitor.columnOf(expression, scope)] as const);
  const both = extended(scope, own);
  const columns = star ? both : new Map(own);
  for (const expression of [...orderBy.map(item => item.expression), where]) if (expression) walkInScope(expression, both, visitor);
  for (const expression of [skip, limit]) if (expression) walkInScope(expression, new Map(), visitor);
  return columns;
}
