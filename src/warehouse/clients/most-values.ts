import { sqlstates } from '../../sql/sqlstate.js';
import { WarehouseQueryError } from '../warehouse.errors.js';

/** The most values of an answer; no useful answer has as many. In memory, each value takes far more than its one byte in the answer. */
export const mostValues = 1_000_000;

export function tooManyValues(): WarehouseQueryError {
  const reason = {
    zh: `结果的值超过 ${mostValues} 个，请缩小范围`,
    en: `it has more than ${mostValues} values; narrow its range`,
  };
  return new WarehouseQueryError(reason, sqlstates.outOfMemory, null, undefined);
}
