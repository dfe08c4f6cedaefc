import { hasAggregate } from '../semantics/aggregates.js';
import { type GraphSchema } from '../semantics/graph-schema.js';
import { QueryContext } from '../semantics/query-context.js';
import { PatternResolver } from '../semantics/resolve-patterns.js';
import { countOf, Groups, readReturn } from '../semantics/resolve-return.js';
import { type ExpressionScope, typeCondition, typeExpression } from '../semantics/type-expression.js';
import { type TypedExpression } from '../semantics/typed-tree.js';
import { type Expression } from '../syntax/cypher-ast.js';
import { findKeys } from './find-keys.js';
import { type SimpleQuery } from './simple-query.js';
import { type Operator, type QueryPlan } from './operators.js';

/**
 * Resolves a query against the graph's schema and the caller's parameters, and plans it.
 * @throws CypherSyntaxError on unknown or twice bound variables, misplaced aggregates, equal column names and values that can never
 * fit; MissingParameterError, InvalidParameterError and ParametersTooLargeError; CypherNotSupportedError
 */
export function planCypher(query: SimpleQuery, schema: GraphSchema, parameters: Readonly<Record<string, unknown>> = {}): QueryPlan {
  const context = new QueryContext(query.text, schema, parameters);
  const patterns = new PatternResolver(context);
  for (const clause of query.matches) patterns.addClause(clause);
  const { items, orderBy } = readReturn(query.returns, patterns, context);
  const pattern = patterns.finish();

  const matched: ExpressionScope = {
    context,
    patterns,
    resolve: expression => (expression.kind === 'variable' ? elementOf(expression, patterns) : null),
  };
  const conditions = patterns.conditions.map(condition => typeCondition(condition, matched));
  let root: Operator = { kind: 'match', pattern, keys: findKeys(pattern, conditions, context.schema) };
  if (conditions.length > 0) root = { kind: 'filter', input: root, conditions };

  const isGrouped = query.returns.distinct || items.some(item => hasAggregate(item.expression));
  const groups = isGrouped ? new Groups(items, matched) : null;
  const scope = groups ?? matched;
  const columns = items.map(({ name, expression }) => ({ name, expression: typeExpression(expression, scope) }));
  const keys = orderBy.map(({ expression, descending }) => ({ expression: typeExpression(expression, scope), descending }));
  if (groups) root = { kind: 'aggregate', input: root, keys: groups.keys, aggregates: groups.aggregates };
  if (keys.length > 0) root = { kind: 'sort', input: root, keys };
  root = { kind: 'project', input: root, columns };
  const [skip, limit] = [countOf(query.returns.skip, 'SKIP', context), countOf(query.returns.limit, 'LIMIT', context)];
  if (skip !== null) root = { kind: 'skip', input: root, count: skip };
  if (limit !== null) root = { kind: 'limit', input: root, count: limit };
  return {
    text: query.text,
    root,
    columns: columns.map(({ name, expression }) => ({ name, type: expression.type })),
    carriers: context.schema.carriers,
    warnings: context.warnings(),
  };
}

function elementOf({ name, position }: Expression & { kind: 'variable' }, patterns: PatternResolver): TypedExpression | null {
  const bound = patterns.variables.get(name);
  return bound ? { kind: 'variable', type: bound.kind, name, element: name, position } : null;
}
