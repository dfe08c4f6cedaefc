import { sqlstates } from '../../sql/sqlstate.js';
import { WarehouseQueryError } from '../warehouse.errors.js';

/**
 * The most values of an answer; no useful answer has that many. A limit on bytes is not enough, because a value of one byte takes far more
 * in memory.
 */
export const mostValues = 1_000_000;

export function tooManyValues(): WarehouseQueryError {
  const reason = {
    zh: `结果的值超过 ${mostValues} 个，请缩小范围`,
    en: `it has more than ${mostValues} values; narrow its range`,
  };
  return new WarehouseQueryError(reason, sqlstates.outOfMemory, null, undefined);
}
