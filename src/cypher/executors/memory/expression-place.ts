import { type Clause, type Expression, type MatchClause } from '../../syntax/cypher-ast.js';
import { type RunningQuery } from './running-query.js';
import { type Evaluate, type Row, type Scope } from './scope.js';

/** Where an expression stands. */
export interface ExpressionPlace {
  query: RunningQuery;
  scope: Scope;
  /** The value of an expression as a whole, such as a column of a group. Null to compute it from its parts. */
  resolve?: ((expression: Expression) => Evaluate | null) | undefined;
}

/** Rows one after the other; null between them where the query may pause. */
export type Rows = Generator<Row | null>;

export interface CompiledMatch {
  /** The scope after the patterns. */
  scope: Scope;
  /** Writes the variables of each match into the row and gives it. The row is the same each time. */
  run(row: Row): Rows;
}

export interface CompiledClauses {
  /** Null where the last clause is no RETURN. */
  columns: { name: string; slot: number }[] | null;
  scope: Scope;
  run(input: readonly Row[]): Rows;
}

/**
 * The compilers of the parts of a query, which need each other: an expression may hold a query, whose clauses hold expressions. They
 * call each other through here, so that no two files import each other.
 */
export interface Compilers {
  /** @throws CypherSyntaxError, CypherValueError for what can be told before the query runs */
  expression(expression: Expression, place: ExpressionPlace): Evaluate;
  /** Compiles an expression that must be a boolean or null: in WHERE, and under AND, OR, XOR and NOT. */
  condition(expression: Expression, place: ExpressionPlace): Evaluate;
  match(clause: Pick<MatchClause, 'patterns' | 'where'>, place: ExpressionPlace): CompiledMatch;
  clauses(clauses: Clause[], place: ExpressionPlace): CompiledClauses;
}

export function compile(expression: Expression, place: ExpressionPlace): Evaluate {
  return place.query.compilers.expression(expression, place);
}

export function compileCondition(expression: Expression, place: ExpressionPlace): Evaluate {
  return place.query.compilers.condition(expression, place);
}
