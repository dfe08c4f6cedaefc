import { type NextFunction, type Request, type Response } from 'express';

/** Serves every route under `/api/…` and, identically, without it: the one place that knows the prefix. */
export function pathPrefixMiddleware(request: Request, _response: Response, next: NextFunction): void {
  if (request.url.startsWith('/api/')) request.url = request.url.slice('/api'.length);
  next();
}
