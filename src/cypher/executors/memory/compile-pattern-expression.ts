import { type Expression, type PathPattern } from '../../syntax/cypher-ast.js';
import { GrowingList } from '../../values/growing-list.js';
import { undefinedVariable } from './compile-expression-errors.js';
import { compile, type ExpressionPlace } from './expression-place.js';
import { type Evaluate, type Scope } from './scope.js';

/** Compiles a shortest path, or a pattern comprehension, whose value is a list. Any other pattern is allowed only as a condition. */
export function compilePatternExpression(
  expression: Expression & { kind: 'pattern' | 'patternComprehension' },
  place: ExpressionPlace,
): Evaluate {
  if (expression.kind === 'patternComprehension') return compileComprehension(expression, place);
  const { pattern, position } = expression;
  if (pattern.shortest === null)
    throw place.query.error(
      'UnexpectedSyntax',
      { zh: '模式只能作为条件；其个数请用 COUNT { … }', en: 'A pattern can only be a condition here; use COUNT { … } for its number' },
      position,
    );
  checkBound(pattern, place);
  // A property of the pattern may contain a further shortest path, which sees this variable.
  const variable = `\0path${position}`;
  const match = place.query.compilers.match({ patterns: [{ ...pattern, variable }], where: null }, withoutColumns(place));
  const slot = match.scope.find(variable)!.slot;
  place.query.frame.markRead(slot);
  const all = pattern.shortest === 'all';
  return place.query.at(position, row => {
    const paths = new GrowingList();
    for (const found of match.run([...row])) {
      if (found === null) continue;
      place.query.hasUncited = true;
      if (!all) return found[slot] ?? null;
      paths.push(found[slot] ?? null);
    }
    return all ? paths.whole() : null;
  });
}

/** A pattern as a condition: whether the pattern occurs. Its variables must be bound. */
export function compilePatternPredicate({ pattern }: Expression & { kind: 'pattern' }, place: ExpressionPlace): Evaluate {
  checkBound(pattern, place);
  const match = place.query.compilers.match({ patterns: [pattern], where: null }, withoutColumns(place));
  return row => {
    for (const found of match.run([...row])) {
      if (found === null) continue;
      place.query.hasUncited = true;
      return true;
    }
    return false;
  };
}

function compileComprehension(expression: Expression & { kind: 'patternComprehension' }, place: ExpressionPlace): Evaluate {
  const { pattern, where, projection, position } = expression;
  const match = place.query.compilers.match({ patterns: [pattern], where }, withoutColumns(place));
  const value = compile(projection, { query: place.query, scope: match.scope });
  return place.query.at(position, row => {
    const found = new GrowingList();
    for (const each of match.run([...row])) if (each !== null) found.push(value(each));
    if (found.length > 0) place.query.hasUncited = true;
    return found.whole();
  });
}

function withoutColumns({ query, scope }: ExpressionPlace): { query: ExpressionPlace['query']; scope: Scope } {
  return { query, scope };
}

function checkBound({ nodes, edges }: PathPattern, { query, scope }: ExpressionPlace): void {
  for (const { variable, position } of [...nodes, ...edges])
    if (variable !== null && !scope.find(variable)) throw undefinedVariable(query, variable, position);
}
