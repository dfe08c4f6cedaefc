import { hasAggregate } from '../semantics/aggregates.js';
import { formOf } from '../semantics/forms.js';
import { NotInSqlError } from '../semantics/not-in-sql.error.js';
import { type QueryContext } from '../semantics/query-context.js';
import { PatternResolver } from '../semantics/resolve-patterns.js';
import { countOf, Groups, readReturn } from '../semantics/resolve-return.js';
import { type ExpressionScope, typeCondition, typeExpression } from '../semantics/type-expression.js';
import { type TypedExpression } from '../semantics/typed-tree.js';
import { type Expression } from '../syntax/cypher-ast.js';
import { CypherError } from '../syntax/cypher.errors.js';
import { type CypherMap } from '../values/cypher-value.js';
import { findKeys } from './find-keys.js';
import { type SimpleQuery } from './simple-query.js';
import { type Operator, type QueryPlan } from './operators.js';

/**
 * Plans a query for SQL. Null if SQL cannot return exactly the results of the in-memory executor. The caller has resolved the names and
 * compiled the query for memory before, and that compilation reports all errors of the query.
 */
export function planCypher(query: SimpleQuery, context: QueryContext, parameters: CypherMap): QueryPlan | null {
  try {
    return plan(query, context, parameters);
  } catch (error) {
    if (error instanceof NotInSqlError || error instanceof CypherError) return null;
    throw error;
  }
}

function plan(query: SimpleQuery, context: QueryContext, parameters: CypherMap): QueryPlan {
  const patterns = new PatternResolver(context);
  for (const clause of query.matches) patterns.addClause(clause);
  const { items, orderBy } = readReturn(query.returns, patterns);
  const pattern = patterns.finish();
  if (pattern.nodes.some(({ labels }) => labels.flat().some(label => context.schema.isFurtherLabel(label))))
    throw new NotInSqlError('a label that nodes carry besides another');

  const matched: ExpressionScope = {
    context,
    parameters,
    patterns,
    resolve: expression => (expression.kind === 'variable' ? elementOf(expression, patterns) : null),
  };
  const conditions = patterns.conditions.map(condition => typeCondition(condition, matched));
  // The in-memory executor evaluates conditions in order and stops at the first that is not true. SQL may evaluate them in another order,
  // so a condition that can fail must be the only one.
  const isAlone = query.matches.length === 1 && query.matches[0]?.where?.kind !== 'logical';
  if (!isAlone && conditions.some(({ canFail }) => canFail)) throw new NotInSqlError('a condition that may fail, beside others');
  let root: Operator = { kind: 'match', pattern, keys: findKeys(pattern, conditions, context.schema) };
  if (conditions.length > 0) root = { kind: 'filter', input: root, conditions };

  const isGrouped = query.returns.distinct || items.some(item => hasAggregate(item.expression));
  const groups = isGrouped ? new Groups(items, matched) : null;
  const scope = groups ?? matched;
  const columns = items.map(({ name, expression }) => ({ name, expression: typeExpression(expression, scope) }));
  if (columns.some(({ expression }) => expression.kind === 'property' && expression.word === null))
    throw new NotInSqlError('a property whose type differs between labels');
  const keys = orderBy.map(({ expression, descending }) => ({ expression: typeExpression(expression, scope), descending }));
  if (keys.some(({ expression: { kind, type } }) => kind !== 'constant' && type !== 'node' && type !== 'edge' && formOf(type) === null))
    throw new NotInSqlError('an order of values of unknown type');
  if (groups) root = { kind: 'aggregate', input: root, keys: groups.keys, aggregates: groups.aggregates };
  if (keys.length > 0) root = { kind: 'sort', input: root, keys };
  root = { kind: 'project', input: root, columns };
  const [skip, limit] = [countOf(query.returns.skip, matched), countOf(query.returns.limit, matched)];
  if (skip !== null) root = { kind: 'skip', input: root, count: skip };
  if (limit !== null) root = { kind: 'limit', input: root, count: limit };
  return { text: query.text, root, columns: columns.map(({ name }) => name) };
}

function elementOf({ name, position }: Expression & { kind: 'variable' }, patterns: PatternResolver): TypedExpression | null {
  const bound = patterns.variables.get(name);
  return bound ? { kind: 'variable', type: bound.kind, name, element: name, position } : null;
}
