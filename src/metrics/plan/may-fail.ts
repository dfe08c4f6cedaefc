import { constantText } from '../../sql-guard/constant-text.js';
import { nameParts, type NodeFields } from '../../sql-guard/walk-tree.js';

/** The kinds of operators that compare and never fail. */
const comparing: ReadonlySet<unknown> = new Set([
  'AEXPR_OP',
  'AEXPR_OP_ANY',
  'AEXPR_OP_ALL',
  'AEXPR_IN',
  'AEXPR_DISTINCT',
  'AEXPR_NOT_DISTINCT',
  'AEXPR_BETWEEN',
  'AEXPR_NOT_BETWEEN',
  'AEXPR_BETWEEN_SYM',
  'AEXPR_NOT_BETWEEN_SYM',
]);
const comparisons: ReadonlySet<unknown> = new Set(['=', '<>', '!=', '<', '<=', '>', '>=', 'BETWEEN', 'NOT BETWEEN', 'BETWEEN SYMMETRIC', 'NOT BETWEEN SYMMETRIC']); // prettier-ignore

/**
 * Whether an expression that the guard admitted may fail on some rows and succeed on others. False for comparisons of columns and
 * constants, and for combinations of such comparisons. A cast of a constant is safe, because it fails on all rows or on none. A column
 * counts as safe here; its caller checks the SQL behind a logical column.
 */
export function mayFail(wrapped: unknown): boolean {
  const [[type, node] = ['', {}]] = Object.entries(wrapped as Record<string, NodeFields>);
  const anyOf = (nodes: unknown): boolean => ((nodes ?? []) as unknown[]).some(mayFail);
  switch (type) {
    case 'ColumnRef':
    case 'A_Const':
      return false;
    case 'TypeCast':
      return !('A_Const' in (node.arg as object));
    case 'BoolExpr':
      return anyOf(node.args);
    case 'NullTest':
    case 'BooleanTest':
      return mayFail(node.arg);
    case 'List':
      return anyOf(node.items);
    case 'A_ArrayExpr':
      return anyOf(node.elements);
    case 'A_Expr': {
      const sides = [node.lexpr, node.rexpr];
      if (sides.some(side => side === undefined || mayFail(side))) return true;
      // A pattern that ends with a backslash fails only on texts that match the part before it, so each pattern with a backslash counts as
      // unsafe.
      if (node.kind === 'AEXPR_LIKE' || node.kind === 'AEXPR_ILIKE') return constantText(node.rexpr)?.includes('\\') ?? true;
      return !comparing.has(node.kind) || !comparisons.has(nameParts(node.name).at(-1));
    }
    default:
      return true;
  }
}
