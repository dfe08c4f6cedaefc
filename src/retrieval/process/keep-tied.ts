import { type AnswerRow } from '../../cypher/executors/memory/run-in-memory.js';
import { compareForOrder } from '../../cypher/values/order.js';

/** Keeps the first `top` rows of a ranking, and the rows after them that have the same value as row `top` in the second column. */
export function keepTied(rows: AnswerRow[], top: number | undefined): AnswerRow[] {
  const last = top === undefined ? undefined : rows[top - 1];
  if (top === undefined || !last) return rows;
  const next = rows.findIndex(({ values }, i) => i >= top && compareForOrder(values[1] ?? null, last.values[1] ?? null) !== 0);
  return next === -1 ? rows : rows.slice(0, next);
}
