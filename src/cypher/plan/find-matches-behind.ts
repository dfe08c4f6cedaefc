import { constant, equality } from '../semantics/type-expression.js';
import { operandsOf, type TypedExpression } from '../semantics/typed-tree.js';
import { type CypherValue } from '../values/cypher-value.js';
import { findOperator, type NamedAggregate, type Operator, type QueryPlan } from './operators.js';

/** A plan whose rows are the matches behind the rows of another plan. */
export interface MatchesPlan {
  plan: QueryPlan;
  /** Whether the plan selects matches by the values of the rows. If false, the plan returns all matches. */
  isLimited: boolean;
}

/**
 * Plans a query for the matches from which `rows` were computed: the matches of their groups, and for `max` and `min` only the matches with
 * the maximum or minimum. Null if `max` or `min` is part of a larger expression, since the row then does not contain the value of the
 * aggregate itself.
 * @param rows the first rows of the result of a plan with an aggregation; examples are wanted only for these
 */
export function findMatchesBehind({ text, root }: QueryPlan, rows: readonly (readonly CypherValue[])[]): MatchesPlan | null {
  const [aggregation, projection] = [findOperator(root, 'aggregate'), findOperator(root, 'project')];
  const first = findOperator(root, 'match')?.pattern.nodes[0];
  if (!aggregation || !projection || !first) return null;
  const keys = new Map(aggregation.keys.map(({ name, expression }) => [name, expression]));
  const aggregates = new Map(aggregation.aggregates.map(aggregate => [aggregate.name, aggregate]));
  const groups: TypedExpression[] = [];
  for (const row of rows) {
    const equalities: TypedExpression[] = [];
    const attained: TypedExpression[] = [];
    let restsOnAll = false;
    for (const [i, { expression }] of projection.columns.entries()) {
      const value = row[i] ?? null;
      if (expression.kind === 'constant') continue;
      const name = expression.kind === 'variable' ? expression.name : '';
      const key = keys.get(name);
      const extreme = extremeOf(aggregates.get(name));
      if (!key && !extreme) {
        if (readsExtreme(expression, aggregates)) return null;
        restsOnAll = true;
      } else if (key) equalities.push(equals(key, value));
      // A `max` or `min` of no values is null and rests on no match.
      else if (extreme && value !== null) attained.push(equals(extreme, value));
    }
    if (attained.length > 0 && !restsOnAll) equalities.push(allOf('OR', attained));
    if (equalities.length > 0) groups.push(allOf('AND', equalities));
  }
  const input: Operator =
    groups.length > 0 ? { kind: 'filter', input: aggregation.input, conditions: [allOf('OR', groups)] } : aggregation.input;
  const id = idOf({ kind: 'variable', type: 'node', name: first.variable, element: first.variable, position: 0 });
  return {
    plan: { text, root: { kind: 'project', input, columns: [{ name: 'match', expression: id }] }, columns: ['match'] },
    isLimited: groups.length > 0,
  };
}

function equals(expression: TypedExpression, value: CypherValue): TypedExpression {
  if (value === null) return { kind: 'isNull', type: 'boolean', negated: false, operand: expression, position: 0 };
  if (typeof value === 'object' && 'id' in value) return equality('=', idOf(expression), constant(BigInt(value.id), 0), 0);
  return equality('=', expression, constant(value, 0), 0);
}

function idOf(element: TypedExpression): TypedExpression {
  return { kind: 'call', type: 'integer', function: 'id', args: [element], position: 0 };
}

/** The argument of `max(x)` or `min(x)`; null for any other aggregate. */
function extremeOf(aggregate: NamedAggregate | undefined): TypedExpression | null {
  if (aggregate?.expression.function !== 'max' && aggregate?.expression.function !== 'min') return null;
  return aggregate.expression.argument;
}

function readsExtreme(expression: TypedExpression, aggregates: ReadonlyMap<string, NamedAggregate>): boolean {
  if (expression.kind === 'variable') return extremeOf(aggregates.get(expression.name)) !== null;
  return operandsOf(expression).some(operand => readsExtreme(operand, aggregates));
}

function allOf(operator: 'AND' | 'OR', operands: TypedExpression[]): TypedExpression {
  const [first] = operands;
  return operands.length === 1 && first ? first : { kind: 'logical', type: 'boolean', operator, operands, position: 0 };
}
