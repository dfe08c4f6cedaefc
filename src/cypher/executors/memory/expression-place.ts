import { type Expression } from '../../syntax/cypher-ast.js';
import { type ExpressionPlace } from './running-query.js';
import { type Evaluate } from './scope.js';

export type { CompiledClauses, CompiledMatch, Compilers, ExpressionPlace, Rows } from './running-query.js';

export function compile(expression: Expression, place: ExpressionPlace): Evaluate {
  return place.query.compilers.expression(expression, place);
}

export function compileCondition(expression: Expression, place: ExpressionPlace): Evaluate {
  return place.query.compilers.condition(expression, place);
}
