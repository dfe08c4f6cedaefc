import { type ApiError } from '../../../common/errors/api-error.js';
import { isTooLargeForAnyValue } from '../../../database/too-large-allocation.js';
import { TableBeingReplacedError, WarehouseQueryError, WarehouseTimeoutError, WarehouseUnavailableError } from '../../warehouse.errors.js';
import { queryFailure } from '../query-failures.js';
import { sqlstates, sqlstateOf } from '../../../sql/sqlstate.js';

/** Turns a failure of a read into an ApiError. */
export function toReadError(cause: unknown, timeoutMs: number): ApiError {
  // PostgreSQL reports a value of more than a gigabyte as an internal error.
  const sqlstate = isTooLargeForAnyValue(cause) ? sqlstates.outOfMemory : sqlstateOf(cause);
  if (sqlstate === sqlstates.lockNotAvailable || sqlstate === sqlstates.deadlockDetected) return new TableBeingReplacedError(cause);
  if (sqlstate === sqlstates.queryCanceled) return new WarehouseTimeoutError(timeoutMs, cause);
  const reason = queryFailure(sqlstate);
  if (!reason) return new WarehouseUnavailableError(cause);
  const { position } = cause as { position?: string };
  return new WarehouseQueryError(reason, sqlstate, position === undefined ? null : Number(position), cause);
}
