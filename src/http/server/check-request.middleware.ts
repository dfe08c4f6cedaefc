import { type NextFunction, type Request, type Response } from 'express';
import { SchemaError } from '../../common/errors/api-error.js';
import { BadRequestError, ExpectationFailedError, HeadersTooLargeError } from '../../common/errors/common-errors.js';

const maxHeaders = 100;

/**
 * The most parameters of a query string. It is less than 1,000, because `node:querystring` silently drops the parameters beyond that
 * number.
 */
const maxQueryParameters = 100;

/**
 * Refuses requests that no route can handle: too many headers (Node would drop those beyond its limit, perhaps the credential), no or
 * several `Host` headers (RFC 9112, section 3.2), an `Expect` that is not supported, percent-encoding that is not UTF-8, too many query
 * parameters.
 */
export function checkRequestMiddleware(request: Request, _response: Response, next: NextFunction): void {
  // API answers have no ETag, so a request cannot compare versions. Express would still turn each answer into an empty 304 for
  // `If-None-Match: *`.
  if (!/^\/docs(\/|$)/.test(request.path)) delete request.headers['if-none-match'];
  next(findFault(request));
}

function findFault({ rawHeaders, headers, url, httpVersion }: Request): Error | undefined {
  if (rawHeaders.length > 2 * maxHeaders) return new HeadersTooLargeError();
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0')) return new BadRequestError();
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') return new ExpectationFailedError();
  const [path = '', query = ''] = url.split(/\?(.*)/s, 2);
  if (!isDecodable(path) || !isDecodable(query)) return new BadRequestError();
  if (query.split('&').length > maxQueryParameters) {
    const text = { zh: `最多 ${maxQueryParameters} 个参数`, en: `at most ${maxQueryParameters} parameters` };
    return new SchemaError([{ loc: ['query'], text, type: 'too_many' }]);
  }
  return undefined;
}

function isDecodable(text: string): boolean {
  if (!text.includes('%')) return true;
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
