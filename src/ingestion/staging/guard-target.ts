import { type Guard, guardExpression, type GuardScope } from '../../sql-guard/guard-expression.js';
import { sourceAlias, type Target } from './target.js';

/**
 * Judges what the author of a mapping wrote about the rows of a target's source, see `writtenSql`: when it is saved and whenever it is
 * read. It may name the columns of the source, also under its alias.
 */
export function guardOverSource(target: Target, columns: GuardScope['columns']): Guard {
  const scope = { columns, alias: sourceAlias(target) };
  return text => guardExpression(text, scope);
}
