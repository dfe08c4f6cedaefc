import { childrenOf, shapeOf, walk, type Expression, type OrderItem, type ReturnClause } from '../syntax/cypher-ast.js';
import { replaceVariables } from '../syntax/replace-variables.js';
import { ExactNumber } from '../values/constant.js';
import { hasAggregate, isAggregate } from './aggregates.js';
import { type QueryContext } from './query-context.js';
import { type PatternResolver } from './resolve-patterns.js';
import { typeAggregate } from './type-aggregate.js';
import { type ExpressionScope, typeExpression } from './type-expression.js';
import { type TypedAggregate, type TypedExpression } from './typed-tree.js';

interface Named<E> {
  name: string;
  expression: E;
}

/**
 * The columns of the result and the keys of its order, with aliases replaced by their expressions. Checks names and the places of
 * aggregates.
 */
export function readReturn(
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
export class Groups implements ExpressionScope {
  readonly keys: Named<TypedExpression>[] = [];
  readonly aggregates: Named<TypedAggregate>[] = [];
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

  private know(expression: Expression, { name, expression: typed }: Named<TypedExpression>): TypedExpression {
    const element = typed.kind === 'variable' ? typed.element : null;
    const column: TypedExpression = { kind: 'variable', type: typed.type, name, element, position: expression.position };
    this.known.set(shapeOf(expression), column);
    return column;
  }
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

export function countOf(expression: Expression | null, clause: 'SKIP' | 'LIMIT', context: QueryContext): number | null {
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
