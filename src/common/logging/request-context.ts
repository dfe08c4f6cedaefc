import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { type NextFunction, type Request, type Response } from 'express';

/** What belongs to the request being served, for code that is not handed the request itself. */
export interface RequestContext {
  requestId: string;
  request: Request;
  response: Response;
}

const storage = new AsyncLocalStorage<RequestContext>();
const acceptable = /^[A-Za-z0-9._-]{1,64}$/;

/** The context of the request being served; undefined outside of one. */
export function currentRequest(): RequestContext | undefined {
  return storage.getStore();
}

/** Gives every request an id, the caller's own if it is a plain token, and names it in the response. */
export function requestContextMiddleware(request: Request, response: Response, next: NextFunction): void {
  const offered = request.headers['x-request-id'];
  const requestId = typeof offered === 'string' && acceptable.test(offered) ? offered : randomUUID();
  response.setHeader('X-Request-ID', requestId);
  storage.run({ requestId, request, response }, next);
}
