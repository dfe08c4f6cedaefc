import { childrenOf, shapeOf, type Expression, type OrderItem, type ReturnClause } from '../syntax/cypher-ast.js';
import { replaceVariables } from '../syntax/replace-variables.js';
import { hasAggregate, isAggregate } from './aggregates.js';
import { formOf } from './forms.js';
import { NotInSqlError } from './not-in-sql.error.js';
import { type PatternResolver } from './resolve-patterns.js';
import { typeAggregate } from './type-aggregate.js';
import { type ExpressionScope, typeExpression } from './type-expression.js';
import { type TypedAggregate, type TypedExpression } from './typed-tree.js';

interface Named<E> {
  name: string;
  expression: E;
}

/** The columns of the result and the keys of its order, with aliases replaced by their expressions. */
export function readReturn(
  returns: ReturnClause,
  patterns: PatternResolver,
): { items: { name: string; expression: Expression }[]; orderBy: OrderItem[] } {
  const named = [...patterns.variables.keys()].filter(name => !patterns.elementNamed(name)?.anonymous);
  const starred = returns.star
    ? named.map(name => ({ name, expression: { kind: 'variable' as const, name, position: returns.position } }))
    : [];
  const items = [...starred, ...returns.items.map(({ name, expression }) => ({ name, expression }))];
  const aliases = new Map(items.map(item => [item.name, item.expression]));
  const orderBy = returns.orderBy.map((item): OrderItem => ({ ...item, expression: replaceVariables(item.expression, aliases) }));
  return { items, orderBy };
}

/** The keys and aggregates of an aggregation. The operators above the aggregation read both as variables. */
export class Groups implements ExpressionScope {
  readonly keys: Named<TypedExpression>[] = [];
  readonly aggregates: Named<TypedAggregate>[] = [];
  readonly context: ExpressionScope['context'];
  readonly parameters: ExpressionScope['parameters'];
  readonly patterns: PatternResolver;
  private readonly known = new Map<string, TypedExpression>();

  /** @throws NotInSqlError */
  constructor(
    items: { expression: Expression }[],
    private readonly matched: ExpressionScope,
  ) {
    this.context = matched.context;
    this.parameters = matched.parameters;
    this.patterns = matched.patterns;
    for (const { expression } of items) if (!hasAggregate(expression) && !this.known.has(shapeOf(expression))) this.addKey(expression);
  }

  resolve(expression: Expression): TypedExpression | null {
    const column = this.known.get(shapeOf(expression));
    if (column) return column;
    if (isAggregate(expression) && (expression.kind === 'call' || expression.kind === 'countAll')) {
      const aggregate = { name: `a${this.aggregates.length}`, expression: typeAggregate(expression, this.matched) };
      this.aggregates.push(aggregate);
      return this.know(expression, aggregate);
    }
    // A property, label or function of a grouped node or edge depends on this node or edge only, so adding it as a key splits no group.
    const isOfElement = ['property', 'hasLabels', 'call'].includes(expression.kind) && childrenOf(expression).every(isElementKey, this);
    if (isOfElement && childrenOf(expression).length === 1) return this.addKey(expression);
    if (expression.kind === 'variable') throw new NotInSqlError(`${expression.name} beside groups`);
    return null;
  }

  private addKey(expression: Expression): TypedExpression {
    const key = { name: `k${this.keys.length}`, expression: typeExpression(expression, this.matched) };
    const { kind, type, canFail } = key.expression;
    if (canFail || (kind !== 'constant' && kind !== 'variable' && formOf(type) === null)) throw new NotInSqlError('such groups');
    this.keys.push(key);
    return this.know(expression, key);
  }

  private know(expression: Expression, { name, expression: typed }: Named<TypedExpression>): TypedExpression {
    const element = typed.kind === 'variable' ? typed.element : null;
    const column: TypedExpression =
      typed.kind === 'constant' ? typed : { kind: 'variable', type: typed.type, name, element, position: expression.position };
    this.known.set(shapeOf(expression), column);
    return column;
  }
}

function isElementKey(this: Groups, expression: Expression): boolean {
  return expression.kind === 'variable' && this.resolve(expression)?.kind === 'variable';
}

/** The number of SKIP or LIMIT. @throws NotInSqlError for an expression that is not a constant count */
export function countOf(expression: Expression | null, scope: ExpressionScope): number | null {
  if (expression === null) return null;
  const typed = typeExpression(expression, scope);
  const count = typed.kind === 'constant' && typeof typed.value === 'bigint' ? Number(typed.value) : -1;
  if (count >= 0 && Number.isSafeInteger(count)) return count;
  throw new NotInSqlError('SKIP or LIMIT of this value');
}
