import { type Guard, guardExpression, type GuardScope } from '../../sql-guard/guard-expression.js';
import { sourceAlias, type Target } from './target.js';

/**
 * Makes the guard that judges the SQL of a mapping's author about the rows of a target's source, see `writtenSql`. The SQL is judged when
 * the mapping is saved and whenever it is read. The SQL may name the columns of the source, also with the alias of the source.
 */
export function guardOverSource(target: Target, columns: GuardScope['columns']): Guard {
  const scope = { columns, alias: sourceAlias(target) };
  return text => guardExpression(text, scope);
}
