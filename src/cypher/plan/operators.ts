import { type Pattern } from '../semantics/pattern.js';
import { type TypedAggregate, type TypedExpression } from '../semantics/typed-tree.js';

/**
 * A query as a tree of operators of relational algebra. Each operator reads the rows of its input and outputs rows of its own. Its
 * expressions read the variables of its input. The tree is pure data; executors run it.
 */
export type Operator =
  /** Gives one row for each match of the pattern, with the variables of the pattern. An empty pattern gives one row without variables. */
  | { kind: 'match'; pattern: Pattern; keys: (string[] | null)[] }
  /** Keeps the rows for which all conditions are true. */
  | { kind: 'filter'; input: Operator; conditions: TypedExpression[] }
  /**
   * Gives one row for each group of rows with equal keys; without keys, one row for all rows. The variables of the row are the keys and
   * aggregates.
   */
  | { kind: 'aggregate'; input: Operator; keys: NamedExpression[]; aggregates: NamedAggregate[] }
  | { kind: 'sort'; input: Operator; keys: { expression: TypedExpression; descending: boolean }[] }
  | { kind: 'project'; input: Operator; columns: NamedExpression[] }
  | { kind: 'skip'; input: Operator; count: number }
  | { kind: 'limit'; input: Operator; count: number };

export interface NamedExpression {
  name: string;
  expression: TypedExpression;
}

export interface NamedAggregate {
  name: string;
  expression: TypedAggregate;
}

export interface QueryPlan {
  /** The query text, from which errors compute line and column; '' for a tree built in code. */
  text: string;
  root: Operator;
  columns: string[];
}

/** The operator and all operators below it, from the top. */
export function* operatorsOf(operator: Operator): Generator<Operator> {
  yield operator;
  if ('input' in operator) yield* operatorsOf(operator.input);
}

/** The first operator of a kind, from the top. */
export function findOperator<K extends Operator['kind']>(root: Operator, kind: K): (Operator & { kind: K }) | null {
  for (const operator of operatorsOf(root)) if (operator.kind === kind) return operator as Operator & { kind: K };
  return null;
}

/** The patterns of all matches, from the top. */
export function patternsOf({ root }: QueryPlan): Pattern[] {
  return [...operatorsOf(root)].flatMap(operator => (operator.kind === 'match' ? [operator.pattern] : []));
}
