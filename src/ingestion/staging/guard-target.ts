import { type Guard, guardExpression, type GuardScope } from '../../sql-guard/guard-expression.js';
import { sourceAlias, type Target } from './target.js';

/**
 * Returns the guard for SQL that a mapping's author wrote over the rows of a target's source; `writtenSql` lists such SQL. The guard runs
 * when the mapping is saved and each time the saved mapping is loaded. The SQL may qualify the names of columns with the alias of the
 * source.
 */
export function guardOverSource(target: Target, columns: GuardScope['columns']): Guard {
  const scope = { columns, alias: sourceAlias(target) };
  return text => guardExpression(text, scope);
}
