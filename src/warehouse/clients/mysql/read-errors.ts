import { ApiError } from '../../../common/errors/api-error.js';
import { sqlstates } from '../../../sql/sqlstate.js';
import { TableBeingReplacedError, WarehouseQueryError, WarehouseTimeoutError, WarehouseUnavailableError } from '../../warehouse.errors.js';
import { queryFailure, tooManyFloatDigits } from '../query-failures.js';

/** PostgreSQL's SQLSTATE by the error number of MySQL and MariaDB, for errors whose own SQLSTATE is less specific. */
const states: Record<number, string> = {
  1021: sqlstates.configurationLimitExceeded,
  1037: sqlstates.outOfMemory,
  1038: sqlstates.outOfMemory,
  1041: sqlstates.outOfMemory,
  1044: sqlstates.insufficientPrivilege,
  1054: sqlstates.undefinedColumn,
  1114: sqlstates.configurationLimitExceeded,
  1142: sqlstates.insufficientPrivilege,
  1143: sqlstates.insufficientPrivilege,
  1146: sqlstates.undefinedTable,
  1227: sqlstates.insufficientPrivilege,
  1242: sqlstates.cardinalityViolation,
  1290: sqlstates.readOnlyTransaction,
  1305: sqlstates.undefinedFunction,
  1345: sqlstates.insufficientPrivilege,
  1356: sqlstates.insufficientPrivilege,
  1365: sqlstates.divisionByZero,
  1370: sqlstates.insufficientPrivilege,
  1690: sqlstates.numericOutOfRange,
  1792: sqlstates.readOnlyTransaction,
};

/** Error numbers of a statement that was ended: by KILL, by MariaDB's max_statement_time, and by MySQL's max_execution_time. */
const ended = [1317, 1969, 3024];

/**
 * Error numbers of a table whose lock was not free in time, of a deadlock, and of a table that was altered after the snapshot was taken.
 */
const changing = [1205, 1213, 1412];

/** Turns a failure of a read into an ApiError. */
export function toReadError(cause: unknown, timeoutMs: number): ApiError {
  if (cause instanceof ApiError) return cause;
  const { errno = 0, sqlState = '', sql = '' } = cause as { errno?: number; sqlState?: string; sql?: string };
  if (ended.includes(errno)) return new WarehouseTimeoutError(timeoutMs, cause);
  if (changing.includes(errno)) return new TableBeingReplacedError(cause);
  const isFloat = errno === 1242 && sql.includes(tooManyFloatDigits);
  const sqlstate = isFloat ? sqlstates.dataException : (states[errno] ?? sqlState);
  const reason = queryFailure(sqlstate);
  return reason ? new WarehouseQueryError(reason, sqlstate, null, cause) : new WarehouseUnavailableError(cause);
}
