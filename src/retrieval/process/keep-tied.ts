import { type AnswerRow } from '../../cypher/executors/memory/run-in-memory.js';
import { compareForOrder } from '../../cypher/values/order.js';

/** Keeps the first `top` ranked rows and the later rows that tie with the last of them, by the second column. */
export function keepTied(rows: AnswerRow[], top: number | undefined): AnswerRow[] {
  const last = top === undefined ? undefined : rows[top - 1];
  if (top === undefined || !last) return rows;
  const next = rows.findIndex(({ values }, i) => i >= top && compareForOrder(values[1] ?? null, last.values[1] ?? null) !== 0);
  return next === -1 ? rows : rows.slice(0, next);
}
