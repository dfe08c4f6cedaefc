import { ApiError, SchemaError } from '../common/errors/api-error.js';
import { isJsonObject } from '../common/json/is-json-object.js';
import { type Exchanged } from './exchange.js';
import { type RetrievalFailure } from './protocol.js';
import { RetrievalUnavailableError } from './retrieval.errors.js';

/**
 * The error that a process answered with. An answer that is not in the protocol's form, from a process in trouble or from a proxy in
 * between, counts as no answer.
 * @throws RetrievalUnavailableError
 */
export function readFailure({ bytes, failure }: Exchanged): ApiError {
  const { status, code, text, context, problems, retry_after_s: retryAfterS = status === 503 ? 2 : undefined } = parse(bytes, failure);
  if (problems) return new SchemaError(problems);
  const headers = retryAfterS === undefined ? {} : { headers: { 'Retry-After': String(retryAfterS) } };
  return new ApiError(status, code, text, { ...(context ? { context } : {}), ...headers });
}

function parse(bytes: Buffer, failure: string | undefined): RetrievalFailure {
  try {
    const text = failure === undefined ? bytes.toString('utf8') : Buffer.from(failure, 'base64').toString('utf8');
    const parsed: unknown = JSON.parse(text);
    if (!isFailure(parsed)) throw new Error('Not a failure of the protocol');
    return parsed;
  } catch (error) {
    throw new RetrievalUnavailableError(error);
  }
}

function isFailure(parsed: unknown): parsed is RetrievalFailure {
  if (!isJsonObject(parsed)) return false;
  const { status, code, text, context, problems, retry_after_s: retryAfterS } = parsed;
  const isError = Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 599;
  return (
    isError &&
    typeof code === 'string' &&
    isBilingual(text) &&
    (context === undefined || isJsonObject(context)) &&
    (problems === undefined || (Array.isArray(problems) && problems.every(isProblem))) &&
    (retryAfterS === undefined || (Number.isSafeInteger(retryAfterS) && Number(retryAfterS) >= 0))
  );
}

function isProblem(each: unknown): boolean {
  return isJsonObject(each) && Array.isArray(each.loc) && typeof each.type === 'string' && isBilingual(each.text);
}

function isBilingual(text: unknown): boolean {
  return isJsonObject(text) && typeof text.zh === 'string' && typeof text.en === 'string';
}
