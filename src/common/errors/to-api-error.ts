import { LanguageError } from '../../text/language-error.js';
import { ApiError } from './api-error.js';
import {
  BadRequestError,
  BodyTooLargeError,
  ChangedMeanwhileError,
  DatabaseUnavailableError,
  InternalError,
  RouteNotFoundError,
  UnsupportedMediaTypeError,
} from './common-errors.js';
import { storageErrorOf } from './storage-error.js';

/** The fields that `toApiError` reads from errors of Nest, `raw-body` and PostgreSQL. */
interface ForeignError {
  status?: unknown;
  code?: unknown;
  message?: unknown;
  getStatus?: () => number;
}

/** Matches SQLSTATE classes and socket errors that mean that the server is away, not that the statement is wrong. */
const connectionLost =
  /^(08|57P|53|25P0[34])|^(ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;
/**
 * Matches the SQLSTATEs of a broken foreign key: a record that a request refers to or deletes has changed between the check and the write.
 */
const referenceBroken = /^(23001|23503)$/;
/** Matches error messages of node-postgres and its pool that come without a code. */
const poolWait =
  /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Query read timeout|^timeout expired$|Cannot use a pool after calling end/;

/** Turns anything that was thrown into an ApiError. The texts of other errors never reach a client, because they may quote the request. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof LanguageError) return unreadable(thrown);
  const error = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as ForeignError;
  const status = typeof error.getStatus === 'function' ? error.getStatus() : error.status;
  switch (status) {
    case 400:
      return new BadRequestError();
    case 404:
      return new RouteNotFoundError();
    case 413:
      return new BodyTooLargeError();
    case 415:
      return new UnsupportedMediaTypeError('application/json; charset=utf-8');
    default:
  }
  const code = typeof error.code === 'string' ? error.code : '';
  const message = typeof error.message === 'string' ? error.message : '';
  const full = storageErrorOf(thrown);
  if (full) return full;
  if (connectionLost.test(code) || poolWait.test(message)) return new DatabaseUnavailableError(thrown);
  if (referenceBroken.test(code)) return new ChangedMeanwhileError();
  return new InternalError(thrown);
}

/** The answer to a text that a parser of this service refuses: a 400. A feature that answers otherwise catches the LanguageError itself. */
function unreadable(error: LanguageError): ApiError {
  return new ApiError(400, error.code, error.text, { context: error.facts });
}
