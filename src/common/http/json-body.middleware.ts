import { isUtf8 } from 'node:buffer';
import { json, type NextFunction, type RequestHandler } from 'express';
import { type ApiError } from '../errors/api-error.js';
import { BodyTooDeepError, MalformedBodyError, RequestTimeoutError, UnsupportedMediaTypeError } from '../errors/common-errors.js';
import { toApiError } from '../errors/to-api-error.js';
import { nestingDepth } from './nesting-depth.js';

/** `JSON.parse` takes hundreds of thousands of levels; what walks the result afterwards, `JSON.stringify` too, does not. */
export const maxJsonDepth = 64;

/** How long a body of at most `limit` bytes may take to arrive, or, when it is larger, to be read off before its refusal. */
const bodyTimeoutMs = 30_000;

/**
 * Reads JSON bodies into `request.body`: UTF-8, uncompressed, at most `limit` bytes, 64 levels deep and 30 s long. Other types
 * are left for the route. Errors are named here, while they still say what they are: Nest would turn them into its own,
 * which quote the body.
 */
export function jsonBodyMiddleware(limit: number): RequestHandler {
  const read = json({ limit, inflate: false, strict: true, type: ['application/json', 'application/*+json'], verify: checkBytes });
  return (request, response, next) => {
    let settled = false;
    const settle: NextFunction = (error?: unknown) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      next(error === undefined ? undefined : withoutBody(toApiError(error)));
    };
    const timer = setTimeout(() => settle(new RequestTimeoutError()), bodyTimeoutMs);
    try {
      read(request, response, settle);
    } catch (error) {
      settle(error);
    }
  };
}

/** The parser hangs the body on whatever `verify` throws; no log shall find it there. */
function withoutBody(error: ApiError): ApiError {
  Reflect.deleteProperty(error, 'body');
  return error;
}

/** Looks at the body before it is decoded, which would turn broken UTF-8 into U+FFFD, and parsed. */
function checkBytes(_request: unknown, _response: unknown, body: Buffer, charset: string): void {
  if (charset !== 'utf-8') throw new UnsupportedMediaTypeError('application/json; charset=utf-8');
  if (!isUtf8(body)) throw new MalformedBodyError();
  if (nestingDepth(body, maxJsonDepth) > maxJsonDepth) throw new BodyTooDeepError(maxJsonDepth);
}
