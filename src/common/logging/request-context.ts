import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { type NextFunction, type Request, type Response } from 'express';

/** Facts about the request being served, for code that does not get the request itself. */
export interface RequestContext {
  requestId: string;
  request: Request;
  response: Response;
}

const storage = new AsyncLocalStorage<RequestContext>();
const acceptable = /^[A-Za-z0-9._-]{1,64}$/;

/** The context of the request being served, or undefined outside a request. */
export function currentRequest(): RequestContext | undefined {
  return storage.getStore();
}

/**
 * Runs work outside the context of the request that started it, such as a batch of look-ups for many requests. No user is charged for it.
 */
export function outsideRequest<T>(work: () => T): T {
  return storage.exit(work);
}

/** The user whose request is being served. Null outside a request, before the user is known, and in work that goes on after the answer. */
export function currentUserId(): number | null {
  const context = storage.getStore();
  if (!context || context.response.writableEnded) return null;
  const user: { userId?: number } | undefined = context.request.user;
  return user?.userId ?? null;
}

/** Gives every request an id and returns the id in a response header. If the caller sends an id that is a plain token, that one is used. */
export function requestContextMiddleware(request: Request, response: Response, next: NextFunction): void {
  const offered = request.headers['x-request-id'];
  const requestId = typeof offered === 'string' && acceptable.test(offered) ? offered : randomUUID();
  response.setHeader('X-Request-ID', requestId);
  storage.run({ requestId, request, response }, next);
}
