import { type Bilingual } from '../../../text/bilingual.js';
import { ApiError } from '../../../common/errors/api-error.js';
import { sqlstates } from '../../../sql/sqlstate.js';
import { ConnectionFailedError, WarehouseQueryError, WarehouseTimeoutError, WarehouseUnavailableError } from '../../warehouse.errors.js';
import { type ConnectionFailureCode, networkFailure } from '../connection-failure.js';
import { queryFailure, tooManyFloatDigits } from '../query-failures.js';
import { NoClickHouseError, ServerError } from './server-error.js';

/** PostgreSQL's SQLSTATE by ClickHouse's error codes. https://clickhouse.com/codebrowser/ErrorCodes */
const states: [codes: number[], sqlstate: string][] = [
  [[60, 390], sqlstates.undefinedTable],
  [[16, 47], sqlstates.undefinedColumn],
  [[42, 43, 46], sqlstates.undefinedFunction],
  [[53, 70, 386], sqlstates.datatypeMismatch],
  [[291, 497], sqlstates.insufficientPrivilege],
  [[164, 392], sqlstates.readOnlyTransaction],
  [[153], sqlstates.divisionByZero],
  [[69, 321, 407], sqlstates.numericOutOfRange],
  [[6, 27, 38, 41, 72, 376, 457, 691], sqlstates.invalidText],
  [[241], sqlstates.outOfMemory],
  [[62, 456], sqlstates.syntaxError],
];

/** Error codes for queries that read or return more rows or bytes than the user's profile allows. */
const limits = [158, 307, 396];
const overLimit: Bilingual = {
  zh: '所需的行数超过服务器的上限，请缩小范围',
  en: 'it needs more rows than the server allows; narrow its range',
};

const refusals: [codes: number[], failure: ConnectionFailureCode][] = [
  [[192, 193, 194, 195, 516], 'AUTH_FAILED'],
  [[81], 'DATABASE_MISSING'],
  [[202, 745], 'TOO_MANY_CONNECTIONS'],
];
const timeouts = [159, 160, 209];

/** Turns a failure of a read into an ApiError. */
export function toReadError(cause: unknown, timeoutMs: number): ApiError {
  if (cause instanceof ApiError) return cause;
  if (cause instanceof NoClickHouseError) return new ConnectionFailedError('PROTOCOL', cause);
  if (!(cause instanceof ServerError)) {
    const failure = failureBeforeAnswer(cause);
    return failure === null ? new WarehouseUnavailableError(cause) : new ConnectionFailedError(failure, cause);
  }
  const { serverCode } = cause;
  if (timeouts.includes(serverCode)) return new WarehouseTimeoutError(timeoutMs, cause);
  const refusal = refusals.find(([codes]) => codes.includes(serverCode));
  if (refusal) return new ConnectionFailedError(refusal[1], cause);
  // A profile with `readonly = 1` refuses all settings, also those that the service needs to get values as exact texts.
  if (serverCode === 164 && /Cannot modify '/.test(cause.message)) return new ConnectionFailedError('SETTINGS_REFUSED', cause);
  if (limits.includes(serverCode)) return new WarehouseQueryError(overLimit, sqlstates.configurationLimitExceeded, null, cause);
  const isFloat = cause.message.includes(tooManyFloatDigits);
  const sqlstate = isFloat ? sqlstates.dataException : (states.find(([codes]) => codes.includes(serverCode))?.[1] ?? '');
  const reason = queryFailure(sqlstate);
  return reason ? new WarehouseQueryError(reason, sqlstate, null, cause) : new WarehouseUnavailableError(cause);
}

function failureBeforeAnswer(cause: unknown): ConnectionFailureCode | null {
  const { code = '' } = cause as { code?: string };
  // These codes mean that the client began TLS on a port without TLS.
  if (code === 'EPROTO' || code === 'ERR_SSL_WRONG_VERSION_NUMBER') return 'TLS_MISSING';
  return code.startsWith('HPE_') ? 'PROTOCOL' : networkFailure(cause);
}
