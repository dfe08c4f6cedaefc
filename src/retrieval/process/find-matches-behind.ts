import { hasAggregate } from '../../cypher/semantics/aggregates.js';
import { childrenOf, type Expression } from '../../cypher/syntax/cypher-ast.js';
import { type LogicalPlan } from '../../cypher/plan/logical-plan.js';

/** A plan whose rows are the matches behind the rows of another, and the parameters it needs besides the query's own. */
export interface MatchesPlan {
  plan: LogicalPlan;
  parameters: Record<string, unknown>;
}

type Comparable = string | number | boolean | null;

/**
 * The matches that `rows` were computed from: those of their groups, and for `max` and `min` those that attain the value. Null where
 * the groups cannot be told by comparing plain values, such as lists, or where ORDER BY, SKIP or LIMIT chose among unnamed ones.
 * @param rows decoded rows of an aggregated or DISTINCT plan without elements in them, at most as many as are worth an example.
 */
export function findMatchesBehind(plan: LogicalPlan, rows: unknown[][]): MatchesPlan | null {
  const parameters: Record<string, unknown> = {};
  const equals = (expression: Expression, value: Comparable): Expression => {
    if (value === null) return { kind: 'isNull', negated: false, operand: expression, position: 0 };
    const name = ` group ${Object.keys(parameters).length}`;
    parameters[name] = value;
    return { kind: 'binary', operator: '=', left: expression, right: { kind: 'parameter', name, position: 0 }, position: 0 };
  };
  const groups: Expression[] = [];
  for (const row of rows) {
    const keys: Expression[] = [];
    const attained: Expression[] = [];
    let restsOnAll = false;
    for (const [i, { expression }] of plan.items.entries()) {
      const value = row[i];
      const extreme = extremeOf(expression);
      if (hasAggregate(expression) && !extreme) {
        if (holdsExtreme(expression)) return null;
        restsOnAll = true;
        continue;
      }
      if (!isComparable(value)) return null;
      // The largest of nothing rests on nothing.
      if (!extreme) keys.push(equals(expression, value));
      else if (value !== null) attained.push(equals(extreme, value));
    }
    if (attained.length > 0 && !restsOnAll) keys.push(allOf('OR', attained));
    if (keys.length > 0) groups.push(allOf('AND', keys));
  }
  const conditions = groups.length > 0 ? [...plan.conditions, allOf('OR', groups)] : plan.conditions;
  const name = plan.nodes[0]?.variable ?? '';
  const id: Expression = { kind: 'call', name: 'id', distinct: false, args: [{ kind: 'variable', name, position: 0 }], position: 0 };
  return {
    plan: {
      ...plan,
      conditions,
      distinct: false,
      aggregated: false,
      items: [{ name: 'match', expression: id }],
      orderBy: [],
      skip: null,
      limit: null,
    },
    parameters,
  };
}

/** What `max(x)` or `min(x)` is taken over. */
function extremeOf(expression: Expression): Expression | null {
  return expression.kind === 'call' && /^(?:max|min)$/i.test(expression.name) ? (expression.args[0] ?? null) : null;
}

function holdsExtreme(expression: Expression): boolean {
  return extremeOf(expression) !== null || childrenOf(expression).some(holdsExtreme);
}

/** Values that compare equal to what they were read from: not those whose digits a number or its text may have lost. */
function isComparable(value: unknown): value is Comparable {
  if (typeof value === 'number') return Number.isSafeInteger(value) || String(value).length <= 15;
  if (typeof value === 'string') return !/^-?\d{16,}$/.test(value);
  return typeof value === 'boolean' || value === null;
}

function allOf(operator: 'AND' | 'OR', operands: Expression[]): Expression {
  const [first] = operands;
  return operands.length === 1 && first ? first : { kind: 'logical', operator, operands, position: 0 };
}
