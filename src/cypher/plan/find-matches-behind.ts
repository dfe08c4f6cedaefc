import { equality } from '../semantics/type-operators.js';
import { operandsOf, type TypedExpression } from '../semantics/typed-tree.js';
import { type Constant, ExactNumber, typeOfConstant } from '../values/constant.js';
import { findOperator, type NamedAggregate, type Operator, type QueryPlan } from './operators.js';

/** A plan whose rows are the matches behind the rows of another plan. */
export interface MatchesPlan {
  plan: QueryPlan;
  /** The values in the rows that identify the matches; empty when all matches count. */
  values: Comparable[];
}

type Comparable = string | number | boolean | null;

/**
 * Plans a query for the matches from which `rows` were computed: those of their groups, and for `max` and `min` those with that
 * value. Null if the groups cannot be identified by plain values: lists cannot.
 * @param rows decoded rows of a plan with an aggregation, at most as many as are worth an example.
 */
export function findMatchesBehind({ text, root, carriers }: QueryPlan, rows: unknown[][]): MatchesPlan | null {
  const [aggregation, projection] = [findOperator(root, 'aggregate'), findOperator(root, 'project')];
  const first = findOperator(root, 'match')?.pattern.nodes[0];
  if (!aggregation || !projection || !first) return null;
  const keys = new Map(aggregation.keys.map(({ name, expression }) => [name, expression]));
  const aggregates = new Map(aggregation.aggregates.map(aggregate => [aggregate.name, aggregate]));
  const values: Comparable[] = [];
  const equals = (expression: TypedExpression, value: Comparable): TypedExpression => {
    if (value === null) return { kind: 'isNull', type: 'boolean', negated: false, operand: expression, position: 0 };
    values.push(value);
    const constant = toConstant(value);
    return equality('=', expression, { kind: 'constant', type: typeOfConstant(constant), value: constant, position: 0 }, 0);
  };
  const groups: TypedExpression[] = [];
  for (const row of rows) {
    const equalities: TypedExpression[] = [];
    const attained: TypedExpression[] = [];
    let restsOnAll = false;
    for (const [i, { expression }] of projection.columns.entries()) {
      const value = row[i];
      const name = expression.kind === 'variable' ? expression.name : '';
      const key = keys.get(name);
      const extreme = extremeOf(aggregates.get(name));
      if (!key && !extreme) {
        if (readsExtreme(expression, aggregates)) return null;
        restsOnAll = true;
        continue;
      }
      const elementId = key && idIn(key, value);
      if (key && elementId != null) {
        equalities.push(equals(idOf(key), elementId));
        continue;
      }
      if (!isComparable(value)) return null;
      // The largest of no value rests on no match.
      if (key) equalities.push(equals(key, value));
      else if (extreme && value !== null) attained.push(equals(extreme, value));
    }
    if (attained.length > 0 && !restsOnAll) equalities.push(allOf('OR', attained));
    if (equalities.length > 0) groups.push(allOf('AND', equalities));
  }
  const input: Operator =
    groups.length > 0 ? { kind: 'filter', input: aggregation.input, conditions: [allOf('OR', groups)] } : aggregation.input;
  const id = idOf({ kind: 'variable', type: 'node', name: first.variable, element: first.variable, position: 0 });
  return {
    plan: {
      text,
      root: { kind: 'project', input, columns: [{ name: 'match', expression: id }] },
      columns: [{ name: 'match', type: 'integer' }],
      carriers,
      warnings: [],
    },
    values,
  };
}

function idOf(element: TypedExpression): TypedExpression {
  return { kind: 'call', type: 'integer', function: 'id', args: [element], position: 0 };
}

/** The id of the node or edge in a key of that type. Null for any other key. */
function idIn({ type }: TypedExpression, value: unknown): number | null {
  if ((type !== 'node' && type !== 'edge') || typeof value !== 'object' || value === null) return null;
  const id = Number((value as { id?: unknown }).id);
  return Number.isSafeInteger(id) ? id : null;
}

/** The argument of `max(x)` or `min(x)`. */
function extremeOf(aggregate: NamedAggregate | undefined): TypedExpression | null {
  if (aggregate?.expression.function !== 'max' && aggregate?.expression.function !== 'min') return null;
  return aggregate.expression.argument;
}

function readsExtreme(expression: TypedExpression, aggregates: ReadonlyMap<string, NamedAggregate>): boolean {
  if (expression.kind === 'variable') return extremeOf(aggregates.get(expression.name)) !== null;
  return operandsOf(expression).some(operand => readsExtreme(operand, aggregates));
}

/** Tells whether a value still equals the one it was read from. A number, or its text, may have lost digits. */
function isComparable(value: unknown): value is Comparable {
  if (typeof value === 'number') return Number.isSafeInteger(value) || String(value).length <= 15;
  if (typeof value === 'string') return !/^-?\d{16,}$/.test(value);
  return typeof value === 'boolean' || value === null;
}

function toConstant(value: Exclude<Comparable, null>): Constant {
  return typeof value === 'number' ? new ExactNumber(String(value), Number.isInteger(value)) : value;
}

function allOf(operator: 'AND' | 'OR', operands: TypedExpression[]): TypedExpression {
  const [first] = operands;
  return operands.length === 1 && first ? first : { kind: 'logical', type: 'boolean', operator, operands, position: 0 };
}
