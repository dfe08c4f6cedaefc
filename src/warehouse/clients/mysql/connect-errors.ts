import { ClearPasswordError, type ConnectionFailureCode, networkFailure } from '../connection-failure.js';
import { ConnectionFailedError } from '../../warehouse.errors.js';

/**
 * The connection failure by the error number with which the server refuses a login. https://mariadb.com/kb/en/mariadb-error-codes/,
 * https://dev.mysql.com/doc/mysql-errors/8.4/en/
 */
const refusals: Record<number, ConnectionFailureCode> = {
  1040: 'TOO_MANY_CONNECTIONS',
  1044: 'DATABASE_FORBIDDEN',
  1045: 'AUTH_FAILED',
  1049: 'DATABASE_MISSING',
  1053: 'NOT_READY',
  1129: 'AUTH_FAILED',
  1130: 'AUTH_FAILED',
  1203: 'TOO_MANY_CONNECTIONS',
  1226: 'TOO_MANY_CONNECTIONS',
  1251: 'LOGIN_UNSUPPORTED',
  1698: 'AUTH_FAILED',
  3118: 'AUTH_FAILED',
  3159: 'TLS_REQUIRED',
  4151: 'AUTH_FAILED',
};

/** The connection failure by mysql2's own error code. */
const driverFailures: Record<string, ConnectionFailureCode> = {
  HANDSHAKE_NO_SSL_SUPPORT: 'TLS_MISSING',
  HANDSHAKE_SSL_ERROR: 'TLS_FAILED',
  AUTH_SWITCH_PLUGIN_ERROR: 'LOGIN_UNSUPPORTED',
};

/** Classifies the error of a connection that could not be made, or whose session could not be set up. */
export function toConnectError(cause: unknown): ConnectionFailedError {
  const { errno, code = '', sqlState } = cause as { errno?: number; code?: string; sqlState?: string };
  const isRefused = errno !== undefined && sqlState !== undefined;
  const known = isRefused ? refusals[errno] : ownFailure(cause, code);
  // A server that sends an error packet speaks MySQL's protocol, so its unknown errors are not PROTOCOL failures.
  return new ConnectionFailedError(known ?? (isRefused ? 'READ_FAILED' : 'PROTOCOL'), cause);
}

function ownFailure(cause: unknown, code: string): ConnectionFailureCode | null {
  return cause instanceof ClearPasswordError ? 'CLEAR_PASSWORD' : (driverFailures[code] ?? networkFailure(cause));
}

export function tlsMissing(error: unknown): boolean {
  return error instanceof ConnectionFailedError && error.failure === 'TLS_MISSING';
}
