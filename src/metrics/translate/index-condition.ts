import { type NodeFields } from '../../sql-guard/walk-tree.js';
import { isConstant, type Node, operatorName } from './constant-sql.js';
import { type ExpressionContext } from './expression-context.js';
import { comparisons, translatorFor } from './translate-expression.js';
import { textConstant } from './tree-constants.js';

/**
 * Returns a condition that follows from the condition `node` and can use an index. `node` itself cannot, because it converts its column.
 * @param plain returns the form of a column that an index covers, by the SQL of the column
 * @returns null if there is no such condition
 * @throws as `translateExpression`
 */
export function indexCondition(node: unknown, context: ExpressionContext, plain: (sql: string) => string | undefined): string | null {
  const { A_Expr } = node as Node;
  if (A_Expr === undefined || (A_Expr.lexpr as Node | undefined)?.ColumnRef === undefined) return null;
  const { translate, comparable } = translatorFor(context);
  const column = translate(A_Expr.lexpr);
  const indexed = plain(column.sql);
  if (indexed === undefined) return null;
  const operator = operatorName(A_Expr);
  if (column.kind === 'text') {
    const texts = operator === '=' ? textsOf(A_Expr, context.values) : null;
    if (!texts?.every(text => context.dialect.indexedTexts.test(text))) return null;
    if (texts.length === 1 && indexed === column.sql) return null;
    const list = texts.map(text => context.parameters.value(text));
    return list.length === 1 ? `(${indexed} = ${list[0]})` : `(${indexed} IN (${list.join(', ')}))`;
  }
  const constant = (each: unknown): string | null => {
    if (!isConstant(each)) return null;
    const [compared, value] = comparable(A_Expr.lexpr, each);
    return compared.sql === column.sql && value.kind === column.kind ? value.sql : null;
  };
  if (A_Expr.kind === 'AEXPR_OP' && comparisons.has(operator) && operator !== '<>') {
    const value = constant(A_Expr.rexpr);
    return value === null ? null : `(${indexed} ${operator} ${value})`;
  }
  if (A_Expr.kind !== 'AEXPR_BETWEEN') return null;
  const [low, high] = (A_Expr.rexpr as { List: { items: unknown[] } }).List.items.map(constant);
  return low == null || high == null ? null : `(${indexed} >= ${low} AND ${indexed} <= ${high})`;
}

/** The texts that a column is compared with in `= 'x'`, `IN ('x', 'y')` or `= ANY ($1)`. Null if one of them is not a known text. */
function textsOf({ kind, rexpr }: NodeFields, values: readonly unknown[]): string[] | null {
  if (kind !== 'AEXPR_OP' && kind !== 'AEXPR_IN' && kind !== 'AEXPR_OP_ANY') return null;
  const items = kind === 'AEXPR_IN' ? (rexpr as { List: { items: unknown[] } }).List.items : [rexpr];
  const texts = items.flatMap((item): unknown[] => {
    const written = textConstant(item);
    if (written !== null) return [written];
    const { ParamRef } = ((item as Node).TypeCast?.arg ?? {}) as Node;
    const value = ParamRef && values[Number(ParamRef.number) - 1];
    return Array.isArray(value) ? value : [value];
  });
  return texts.length > 0 && texts.every(each => typeof each === 'string') ? texts : null;
}
