import { sqlstateOf } from '../../../sql/sqlstate.js';
import { ClearPasswordError, type ConnectionFailureCode, networkFailure } from '../connection-failure.js';
import { ConnectionFailedError } from '../../warehouse.errors.js';
import { tlsMissing } from './postgres-pool.js';

/** The failure of a refused login, by SQLSTATE or its first characters. https://www.postgresql.org/docs/current/errcodes-appendix.html */
const refusals: [prefix: string, failure: ConnectionFailureCode][] = [
  ['28', 'AUTH_FAILED'],
  ['3D', 'DATABASE_MISSING'],
  ['42501', 'AUTH_FAILED'],
  ['53', 'TOO_MANY_CONNECTIONS'],
  ['57P', 'NOT_READY'],
];

/** Classifies the error of a connection to a PostgreSQL server that could not be made. */
export function toConnectError(cause: unknown): ConnectionFailedError {
  const sqlstate = sqlstateOf(cause);
  const { message = '' } = cause as { message?: string };
  const failure =
    refusals.find(([prefix]) => sqlstate !== '' && sqlstate.startsWith(prefix))?.[1] ??
    (cause instanceof ClearPasswordError ? 'CLEAR_PASSWORD' : networkFailure(cause)) ??
    // These messages come from node-postgres.
    (message === tlsMissing ? 'TLS_MISSING' : null) ??
    (/^SASL: .*password/.test(message) ? 'AUTH_FAILED' : 'PROTOCOL');
  return new ConnectionFailedError(failure, cause);
}
