import { type NextFunction, type Request, type Response } from 'express';
import { SchemaError } from '../../common/errors/api-error.js';
import { BadRequestError, ExpectationFailedError, HeadersTooLargeError } from '../../common/errors/common-errors.js';

const maxHeaders = 100;

/** Below the 1,000 parameters beyond which `node:querystring` drops the rest without a word. */
const maxQueryParameters = 100;

/**
 * Refuses what no route can make sense of, whichever it is for: too many headers (Node would drop those beyond a count, among
 * them perhaps the credential), not exactly one `Host` (RFC 9112, section 3.2), an `Expect` we do not meet, percent-encoding
 * that is not UTF-8, too many query parameters.
 */
export function checkRequestMiddleware(request: Request, _response: Response, next: NextFunction): void {
  // Answers carry no version to compare with, but Express turns each of them into an empty 304 for `If-None-Match: *`.
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
