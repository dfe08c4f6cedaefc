import { type AnswerSource, AnswerTooLargeError } from '../../../common/errors/answer-too-large.error.js';
import { ApiError } from '../../../common/errors/api-error.js';
import { sqlstates } from '../../../sql/sqlstate.js';
import {
  ConnectionFailedError,
  TableBeingReplacedError,
  TableNotFoundError,
  UnreadableValueError,
  WarehouseQueryError,
  WarehouseUnavailableError,
} from '../../warehouse.errors.js';
import { type ConnectionFailureCode } from '../connection-failure.js';
import { queryFailure, tooManyFloatDigits } from '../query-failures.js';
import { FailedWorkError, ProcessEndedError } from './duckdb-process.js';
import { type Failure } from './protocol.js';
import { unreadableFile } from './unreadable-file.js';

/** The work that failed, for errors that name it. */
export interface Doing {
  /** The table that was to be read. Absent for a statement, which may read several. */
  reading?: { table: string };
  answer?: { source: AnswerSource; limitBytes: number };
}

/** SQLSTATE by DuckDB's kind of error. DuckDB's own text may quote data and paths, so users never see it. */
const sqlstateOf: Readonly<Record<string, string>> = {
  Parser: sqlstates.syntaxError,
  Binder: sqlstates.syntaxError,
  Catalog: sqlstates.undefinedTable,
  Conversion: sqlstates.invalidText,
  'Out of Range': sqlstates.numericOutOfRange,
  'Out of Memory': sqlstates.outOfMemory,
  Permission: sqlstates.insufficientPrivilege,
  'Invalid Input': sqlstates.dataCorrupted,
  IO: sqlstates.dataCorrupted,
  Serialization: sqlstates.dataCorrupted,
  'Not implemented': sqlstates.dataCorrupted,
};

const connectionFailures: Partial<Record<Failure['code'], ConnectionFailureCode>> = {
  missing: 'DATABASE_MISSING',
  outside: 'OUTSIDE_DIRECTORY',
  forbidden: 'FILE_FORBIDDEN',
  not_a_database: 'NOT_A_DATABASE',
  newer_version: 'NEWER_VERSION',
  in_use: 'FILE_IN_USE',
  too_many_files: 'TOO_MANY_FILES',
};

/** Turns a failure of the process, or of its work, into an ApiError. */
export function toDuckdbError(error: unknown, doing: Doing): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof ProcessEndedError && error.isOutOfMemory) return queryError(sqlstates.outOfMemory, error);
  if (!(error instanceof FailedWorkError)) return new WarehouseUnavailableError(error);
  const { code, message, column = '', bytes = 0 } = error.failure;
  const connectionFailure = connectionFailures[code];
  if (connectionFailure) return new ConnectionFailedError(connectionFailure, error);
  if (code === 'changed') return new TableBeingReplacedError(error);
  if (code === 'no_table') return new TableNotFoundError();
  if (code === 'unreadable_file') return unreadableError(error);
  if (code === 'unreadable_value') return new UnreadableValueError(doing.reading?.table ?? null, column);
  if (code === 'too_large' && doing.answer) return new AnswerTooLargeError(doing.answer.source, bytes, doing.answer.limitBytes);
  if (code === 'several_statements' || code === 'not_a_query') return queryError(sqlstates.readOnlyTransaction, error);
  if (message.includes(tooManyFloatDigits)) return queryError(sqlstates.dataException, error);
  return queryError(sqlstateOf[/^(?:Failed to extract statements: )?([A-Za-z ]+?) Error:/.exec(message)?.[1] ?? ''] ?? '', error);
}

function unreadableError(error: FailedWorkError): ApiError {
  const { unreadable } = error.failure;
  if (!unreadable) return queryError(sqlstates.dataCorrupted, error);
  return new WarehouseQueryError(unreadableFile(unreadable), sqlstates.dataCorrupted, null, error);
}

function queryError(sqlstate: string, cause: unknown): ApiError {
  const reason = queryFailure(sqlstate);
  return reason ? new WarehouseQueryError(reason, sqlstate, null, cause) : new WarehouseUnavailableError(cause);
}
