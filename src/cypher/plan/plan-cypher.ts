import { hasAggregate, isAggregate } from '../semantics/aggregates.js';
import { childrenOf, shapeOf, walk, type CypherQuery, type Expression, type OrderItem } from '../syntax/cypher-ast.js';
import { CypherSyntaxError, placeOf } from '../syntax/cypher.errors.js';
import { type GraphSchema, SchemaIndex } from '../semantics/graph-schema.js';
import { type LogicalPlan } from './logical-plan.js';
import { PatternPlanner } from './plan-patterns.js';

/**
 * Resolves a query against what the graph is made of: labels, types and their aliases, properties and their types, variables and
 * groups. An unknown label, type or property is a warning with the nearest name, and matches nothing, as openCypher has it. Throws
 * CypherSyntaxError on unknown or twice bound variables, misplaced aggregates and equal column names.
 */
export function planCypher(query: CypherQuery, schema: GraphSchema): LogicalPlan {
  const patterns = new PatternPlanner(query.text, new SchemaIndex(schema));
  for (const clause of query.matches) patterns.addClause(clause);
  const { variables } = patterns;
  const { returns } = query;
  const fail = (zh: string, en: string, position: number) =>
    new CypherSyntaxError({ zh, en }, query.text === '' ? null : placeOf(query.text, position));

  const named = [...variables].filter(([, variable]) => !patterns.isAnonymous(variable));
  if (returns.star && named.length === 0) throw fail('没有变量可供 RETURN * 返回', 'RETURN * has no variable to return', returns.position);
  const starred = returns.star ? named.map(([name]) => ({ name, expression: variableNamed(name, returns.position) })) : [];
  const items = [...starred, ...returns.items.map(({ name, expression }) => ({ name, expression }))];
  const seen = new Set<string>();
  for (const { name, expression } of items) {
    if (seen.has(name)) throw fail(`两列同名：${name}`, `Two columns are named ${name}`, expression.position);
    seen.add(name);
  }

  const aggregated = items.some(item => hasAggregate(item.expression));
  const aliases = new Map(items.map(item => [item.name, item.expression]));
  const orderBy = returns.orderBy.map((item): OrderItem => ({ ...item, expression: replaceAliases(item.expression, aliases) }));
  for (const { expression } of [...items, ...orderBy]) {
    patterns.checkVariables(expression);
    walk(expression, inner => {
      if (isAggregate(inner) && childrenOf(inner).some(hasAggregate))
        throw fail('聚合函数不能嵌套', 'An aggregate cannot contain another', inner.position);
    });
  }
  const keys = items.filter(item => !hasAggregate(item.expression));
  if (!aggregated) {
    const inOrder = orderBy.find(item => hasAggregate(item.expression));
    if (inOrder)
      throw fail('ORDER BY 中的聚合须同时出现在 RETURN 中', 'ORDER BY aggregates only what RETURN aggregates', inOrder.expression.position);
  }
  if (aggregated || returns.distinct) {
    const visible = new Set(keys.map(item => shapeOf(item.expression)));
    for (const { expression } of [...items, ...orderBy]) checkGrouped(expression, visible, fail);
  }

  return {
    ...patterns.result(),
    text: query.text,
    distinct: returns.distinct,
    aggregated,
    items,
    orderBy,
    skip: returns.skip,
    limit: returns.limit,
  };
}

/** Outside aggregates only grouping keys may be used: anything else has no single value in its group. */
function checkGrouped(expression: Expression, keys: ReadonlySet<string>, fail: (zh: string, en: string, position: number) => Error): void {
  if (isAggregate(expression) || keys.has(shapeOf(expression))) return;
  if (expression.kind === 'variable') {
    throw fail(
      `${expression.name} 既不是分组列也未被聚合`,
      `${expression.name} is neither returned as a column of its own nor aggregated`,
      expression.position,
    );
  }
  for (const child of childrenOf(expression)) checkGrouped(child, keys, fail);
}

function variableNamed(name: string, position: number): Expression {
  return { kind: 'variable', name, position };
}

/** In ORDER BY an alias stands for its item's expression, and hides a variable of the same name. */
function replaceAliases(expression: Expression, aliases: ReadonlyMap<string, Expression>): Expression {
  if (expression.kind === 'variable') return aliases.get(expression.name) ?? expression;
  const replace = (inner: Expression) => replaceAliases(inner, aliases);
  const replaceOrNull = (inner: Expression | null) => (inner === null ? null : replace(inner));
  switch (expression.kind) {
    case 'property':
    case 'hasLabels':
      return { ...expression, object: replace(expression.object) };
    case 'index':
      return { ...expression, object: replace(expression.object), index: replace(expression.index) };
    case 'slice':
      return { ...expression, object: replace(expression.object), from: replaceOrNull(expression.from), to: replaceOrNull(expression.to) };
    case 'list':
      return { ...expression, items: expression.items.map(replace) };
    case 'map':
      return { ...expression, entries: expression.entries.map(entry => ({ ...entry, value: replace(entry.value) })) };
    case 'logical':
      return { ...expression, operands: expression.operands.map(replace) };
    case 'unary':
    case 'isNull':
      return { ...expression, operand: replace(expression.operand) };
    case 'binary':
      return { ...expression, left: replace(expression.left), right: replace(expression.right) };
    case 'call':
      return { ...expression, args: expression.args.map(replace) };
    case 'case':
      return {
        ...expression,
        subject: replaceOrNull(expression.subject),
        branches: expression.branches.map(branch => ({ when: replace(branch.when), then: replace(branch.then) })),
        otherwise: replaceOrNull(expression.otherwise),
      };
    case 'literal':
    case 'number':
    case 'parameter':
    case 'countAll':
      return expression;
    default:
      return expression satisfies never;
  }
}
