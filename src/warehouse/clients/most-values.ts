import { sqlstates } from '../../sql/sqlstate.js';
import { WarehouseQueryError } from '../warehouse.errors.js';

/** More than the rows and columns of any answer of use. Each value takes far more memory than its byte of the answer. */
export const mostValues = 1_000_000;

export function tooManyValues(): WarehouseQueryError {
  const reason = {
    zh: `结果的值超过 ${mostValues} 个，请缩小范围`,
    en: `it has more than ${mostValues} values; narrow its range`,
  };
  return new WarehouseQueryError(reason, sqlstates.outOfMemory, null, undefined);
}
