import { hasAggregate, isAggregate } from '../semantics/aggregates.js';
import { type GraphSchema } from '../semantics/graph-schema.js';
import { QueryContext } from '../semantics/query-context.js';
import { PatternResolver } from '../semantics/resolve-patterns.js';
import { typeAggregate } from '../semantics/type-aggregate.js';
import { type ExpressionScope, typeCondition, typeExpression } from '../semantics/type-expression.js';
import { type TypedExpression } from '../semantics/typed-tree.js';
import { childrenOf, shapeOf, walk, type CypherQuery, type Expression, type OrderItem, type ReturnClause } from '../syntax/cypher-ast.js';
import { replaceVariables } from '../syntax/replace-variables.js';
import { ExactNumber } from '../values/constant.js';
import { findKeys } from './find-keys.js';
import { type NamedAggregate, type NamedExpression, type Operator, type QueryPlan } from './operators.js';

/**
 * Resolves a query against the graph's schema and the caller's parameters, and plans it.
 * @throws CypherSyntaxError on unknown or twice bound variables, misplaced aggregates, equal column names and values that can never
 * fit; MissingParameterError, InvalidParameterError and ParametersTooLargeError; CypherNotSupportedError
 */
export function planCypher(query: CypherQuery, schema: GraphSchema, parameters: Readonly<Record<string, unknown>> = {}): QueryPlan {
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
    warnings: context.warnings(),
  };
}

/**
 * The columns of the result and the keys of its order, with aliases replaced by their expressions. Checks names and the places of
 * aggregates.
 */
function readReturn(
  returns: ReturnClause,
  patterns: PatternResolver,
  context: QueryContext,
): { items: { name: string; expression: Expression }[]; orderBy: OrderItem[] } {
  const named = [...patterns.variables.keys()].filter(name => !patterns.elementNamed(name)?.anonymous);
  if (returns.star && named.length === 0)
    throw context.error('没有变量可供 RETURN * 返回', 'RETURN * has no variable to return', returns.position);
  const starred = returns.star
    ? named.map(name => ({ name, expression: { kind: 'variable' as const, name, position: returns.position } }))
    : [];
  const items = [...starred, ...returns.items.map(({ name, expression }) => ({ name, expression }))];
  const seen = new Set<string>();
  for (const { name, expression } of items) {
    if (seen.has(name)) throw context.error(`两列同名：${name}`, `Two columns are named ${name}`, expression.position);
    seen.add(name);
  }
  const aliases = new Map(items.map(item => [item.name, item.expression]));
  const orderBy = returns.orderBy.map((item): OrderItem => ({ ...item, expression: replaceVariables(item.expression, aliases) }));
  for (const { expression } of [...items, ...orderBy]) {
    patterns.checkVariables(expression);
    walk(expression, inner => {
      if (isAggregate(inner) && childrenOf(inner).some(hasAggregate))
        throw context.error('聚合函数不能嵌套', 'An aggregate cannot contain another', inner.position);
    });
  }
  const aggregated = items.some(item => hasAggregate(item.expression));
  const inOrder = aggregated ? undefined : orderBy.find(item => hasAggregate(item.expression));
  if (inOrder)
    throw context.error(
      'ORDER BY 中的聚合须同时出现在 RETURN 中',
      'ORDER BY aggregates only what RETURN aggregates',
      inOrder.expression.position,
    );
  if (aggregated || returns.distinct) {
    const keys = new Set(items.filter(item => !hasAggregate(item.expression)).map(item => shapeOf(item.expression)));
    for (const { expression } of [...items, ...orderBy]) checkGrouped(expression, keys, context);
  }
  return { items, orderBy };
}

/** The columns of an aggregation. Expressions above it see the keys and aggregates as variables. */
class Groups implements ExpressionScope {
  readonly keys: NamedExpression[] = [];
  readonly aggregates: NamedAggregate[] = [];
  readonly context: QueryContext;
  readonly patterns: PatternResolver;
  private readonly known = new Map<string, TypedExpression>();

  constructor(
    items: { expression: Expression }[],
    private readonly matched: ExpressionScope,
  ) {
    this.context = matched.context;
    this.patterns = matched.patterns;
    for (const { expression } of items) {
      if (hasAggregate(expression) || this.known.has(shapeOf(expression))) continue;
      const key = { name: `k${this.keys.length}`, expression: typeExpression(expression, matched) };
      this.keys.push(key);
      this.know(expression, key);
    }
  }

  resolve(expression: Expression): TypedExpression | null {
    const column = this.known.get(shapeOf(expression));
    if (column || !isAggregate(expression) || (expression.kind !== 'call' && expression.kind !== 'countAll')) return column ?? null;
    const aggregate = { name: `a${this.aggregates.length}`, expression: typeAggregate(expression, this.matched) };
    this.aggregates.push(aggregate);
    return this.know(expression, aggregate);
  }

  private know(expression: Expression, { name, expression: typed }: NamedExpression): TypedExpression {
    const element = typed.kind === 'variable' ? typed.element : null;
    const column: TypedExpression = { kind: 'variable', type: typed.type, name, element, position: expression.position };
    this.known.set(shapeOf(expression), column);
    return column;
  }
}

function elementOf({ name, position }: Expression & { kind: 'variable' }, patterns: PatternResolver): TypedExpression | null {
  const bound = patterns.variables.get(name);
  return bound ? { kind: 'variable', type: bound.kind, name, element: name, position } : null;
}

/** Outside aggregates only grouping keys may be used, because anything else has no single value in its group. */
function checkGrouped(expression: Expression, keys: ReadonlySet<string>, context: QueryContext): void {
  if (isAggregate(expression) || keys.has(shapeOf(expression))) return;
  if (expression.kind === 'variable') {
    throw context.error(
      `${expression.name} 既不是分组列也未被聚合`,
      `${expression.name} is neither returned as a column of its own nor aggregated`,
      expression.position,
    );
  }
  for (const child of childrenOf(expression)) checkGrouped(child, keys, context);
}

function countOf(expression: Expression | null, clause: 'SKIP' | 'LIMIT', context: QueryContext): number | null {
  if (expression === null) return null;
  const value =
    expression.kind === 'parameter'
      ? context.parameters.read(expression.name, expression.position)
      : expression.kind === 'number'
        ? new ExactNumber(expression.text, expression.integer)
        : null;
  const count = value instanceof ExactNumber && value.integer ? Number(value.text) : -1;
  if (count >= 0 && Number.isSafeInteger(count)) return count;
  throw context.error(
    `${clause} 须为非负整数或参数`,
    `${clause} takes a non-negative integer, or a parameter that is one`,
    expression.position,
  );
}
