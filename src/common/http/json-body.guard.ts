import { type NextFunction, raw, type Request, type RequestHandler } from 'express';
import { BodyTooDeepError, MalformedBodyError, RequestTimeoutError, UnsupportedMediaTypeError } from '../errors/common-errors.js';
import { toApiError } from '../errors/to-api-error.js';
import { nestingDepth } from './nesting-depth.js';

/** `JSON.parse` takes hundreds of thousands of levels; what walks the result afterwards, `JSON.stringify` too, does not. */
const maxDepth = 64;

/** How long a body of at most `limit` bytes may take to arrive, or, when it is larger, to be read off before its refusal. */
const bodyTimeoutMs = 30_000;

/**
 * Reads JSON bodies into `request.body`: one object in UTF-8, uncompressed, at most `limit` bytes and 64 levels, here within
 * 30 s. Other types are left for the route. Errors are named here, while they still say what they are: Nest would turn them
 * into its own, which quote the body.
 */
export function jsonBodyMiddleware(limit: number): RequestHandler {
  const read = raw({ limit, inflate: false, type: ['application/json', 'application/*+json'] });
  return (request, response, next) => {
    if (!mayHaveBody(request)) return next();
    let settled = false;
    const settle: NextFunction = (error?: unknown) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      if (error !== undefined) {
        next(toApiError(error));
        return;
      }
      try {
        if (Buffer.isBuffer(request.body)) request.body = parseObject(request.body, request.headers['content-type']);
      } catch (refusal) {
        next(refusal);
        return;
      }
      next();
    };
    const timer = setTimeout(() => settle(new RequestTimeoutError()), bodyTimeoutMs);
    read(request, response, settle);
  };
}

const mayHaveBody = ({ headers }: Request) => headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/**
 * An empty body counts as `{}`: some clients name the type of a body that they do not send.
 * @throws UnsupportedMediaTypeError, MalformedBodyError, BodyTooDeepError
 */
function parseObject(body: Buffer, contentType = ''): object {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  if (charset.toLowerCase() !== 'utf-8') throw new UnsupportedMediaTypeError('application/json; charset=utf-8');
  if (nestingDepth(body, maxDepth) > maxDepth) throw new BodyTooDeepError(maxDepth);
  const value = body.length === 0 ? {} : parse(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new MalformedBodyError();
  return value;
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    // V8's sentence quotes the body.
    throw new MalformedBodyError();
  }
}
