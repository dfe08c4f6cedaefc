import { type Bilingual } from '../text/bilingual.js';
import { WarehouseQueryError } from '../warehouse/warehouse.errors.js';
import { offsetAt, positionAt } from '../text/place.js';
import { UnsafeFilterClauseError } from '../sql-guard/sql-guard.errors.js';
import { inFormula } from './plan/guard-formula.js';
import { leavesOf, type ResolvedMetric } from './plan/resolve-metric.js';
import { sqlTexts } from './formula/formula-tree.js';
import { offsetInPiece, tokenAt } from '../sql/embedded-sql.js';
import { sqlstates } from '../sql/sqlstate.js';

/** SQLSTATEs of a warehouse for an expression whose operands, or a value in it, do not have fitting types. */
const typeErrors: ReadonlySet<string> = new Set([
  sqlstates.undefinedFunction,
  sqlstates.datatypeMismatch,
  sqlstates.ambiguousFunction,
  sqlstates.cannotCoerce,
  sqlstates.indeterminateDatatype,
  sqlstates.invalidText,
  sqlstates.invalidDatetime,
  sqlstates.datetimeOverflow,
  sqlstates.numericOutOfRange,
]);

/**
 * Turns a query error about types in the client's SQL into an error about that SQL: the filter clause or the formula. The position of
 * the error points into the statement, where each piece stands verbatim between line breaks (same-shape.ts). An error without a
 * position, such as a failed cast of a value, at least names the metrics.
 * @returns null for other errors
 */
export function explainQueryError(
  error: WarehouseQueryError,
  sql: string,
  metrics: readonly ResolvedMetric[],
  clause: string | null,
): UnsafeFilterClauseError | WarehouseQueryError | null {
  const { position, sqlstate } = error;
  if (!typeErrors.has(sqlstate)) return null;
  if (position === null) return inMetrics(error, metrics, clause);
  const offset = offsetAt(sql, position);
  const inClause = clause === null ? null : offsetInPiece(clause, sql, offset);
  if (clause !== null && inClause !== null) return mismatch(clause, inClause, { zh: '位于 filter_clause', en: 'in filter_clause' });
  for (const { node, owner } of metrics.flatMap(({ root }) => leavesOf(root))) {
    for (const text of sqlTexts(node)) {
      const at = offsetInPiece(text.text, sql, offset);
      if (at === null) continue;
      try {
        inFormula(text, owner, () => {
          throw mismatch(text.text, at);
        });
      } catch (explained) {
        if (explained instanceof UnsafeFilterClauseError) return explained;
        throw explained;
      }
    }
  }
  return inMetrics(error, metrics, clause);
}

function inMetrics(
  { reason, sqlstate, position, cause }: WarehouseQueryError,
  metrics: readonly ResolvedMetric[],
  clause: string | null,
): WarehouseQueryError {
  const names = [...new Set(metrics.flatMap(({ root }) => leavesOf(root)).map(({ owner }) => owner.name))];
  const list = `${names.slice(0, 10).join(', ')}${names.length > 10 ? ', …' : ''}`;
  const [zh, en] = clause === null ? ['', ''] : ['filter_clause 以及', 'in filter_clause, and '];
  const text = {
    zh: `${reason.zh}；请核对${zh}这些指标的公式与绑定中的类型转换和运算：${list}`,
    en: `${reason.en}; look at the casts and operators ${en}in the formulas and the bindings of: ${list}`,
  };
  return new WarehouseQueryError(text, sqlstate, position, cause);
}

function mismatch(piece: string, at: number, hint?: Bilingual): UnsafeFilterClauseError {
  const position = positionAt(piece, at);
  return new UnsafeFilterClauseError({ reason: 'type_mismatch', token: tokenAt(piece, at), position, ...(hint && { hint }) }, piece);
}
