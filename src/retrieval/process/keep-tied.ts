import { isDeepStrictEqual } from 'node:util';
import { type AnswerRow } from '../../cypher/executors/memory/run-in-memory.js';

/** Cuts ranked rows after those that rank at least as high as the last one asked for, by the second column. */
export function keepTied(rows: AnswerRow[], top: number | undefined): AnswerRow[] {
  const last = top === undefined ? undefined : rows[top - 1];
  if (top === undefined || !last) return rows;
  const next = rows.findIndex(({ values }, i) => i >= top && !isDeepStrictEqual(values[1], last.values[1]));
  return next === -1 ? rows : rows.slice(0, next);
}
