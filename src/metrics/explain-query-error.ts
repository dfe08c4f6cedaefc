import { type Bilingual } from '../text/bilingual.js';
import { type WarehouseQueryError } from '../warehouse/warehouse.errors.js';
import { offsetAt, positionAt } from '../text/place.js';
import { UnsafeFilterClauseError } from '../sql-guard/sql-guard.errors.js';
import { inFormula } from './plan/guard-formula.js';
import { leavesOf, type ResolvedMetric } from './plan/resolve-metric.js';
import { sqlTexts } from './formula/formula-tree.js';
import { sqlstates } from '../sql/sqlstate.js';

/** The errors, with a place, that a warehouse reports when the pieces of an expression do not fit together. */
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
 * Turns a query that failed because of types in the client's SQL into an error about that SQL: the filter clause or the formula.
 * The position points into the statement, where each piece stands word for word between line breaks (same-shape.ts).
 * @returns null when the failure has no place, or a place outside the client's SQL
 */
export function explainQueryError(
  error: WarehouseQueryError,
  sql: string,
  metric: ResolvedMetric,
  clause: string | null,
): UnsafeFilterClauseError | null {
  const { position, sqlstate } = error;
  if (position === null || !typeErrors.has(sqlstate)) return null;
  const offset = offsetAt(sql, position);
  const inClause = clause === null ? null : placeIn(clause, sql, offset);
  if (clause !== null && inClause !== null) return mismatch(clause, inClause, { zh: '位于 filter_clause', en: 'in filter_clause' });
  for (const { node, owner } of leavesOf(metric.root)) {
    for (const { text } of sqlTexts(node)) {
      const at = placeIn(text.text, sql, offset);
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
  return null;
}

/** The UTF-16 offset into `piece` for `offset` in the statement, or null when it is outside the piece. */
function placeIn(piece: string, sql: string, offset: number): number | null {
  const embedded = `(\n${piece}\n)`;
  for (let start = sql.indexOf(embedded); start >= 0; start = sql.indexOf(embedded, start + 1)) {
    const at = offset - start - 2;
    if (at >= 0 && at < piece.length) return at;
  }
  return null;
}

function mismatch(piece: string, at: number, hint?: Bilingual): UnsafeFilterClauseError {
  const token = /^(?:'(?:[^']|'')*'?|"(?:[^"]|"")*"?|[\p{L}\p{N}_.]+|[^\s\p{L}\p{N}_'"()]+|[\s\S])/u.exec(piece.slice(at))?.[0] ?? '';
  const position = positionAt(piece, at);
  return new UnsafeFilterClauseError({ reason: 'type_mismatch', token: token.slice(0, 40), position, ...(hint && { hint }) }, piece);
}
