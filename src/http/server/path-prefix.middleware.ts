import { type NextFunction, type Request, type Response } from 'express';

/**
 * Serves every route under `/api/…` and, identically, without it: the one place that knows the prefix. A target in absolute
 * form, as proxies send it, means its path (RFC 9112, section 3.2.2).
 */
export function pathPrefixMiddleware(request: Request, _response: Response, next: NextFunction): void {
  const path = request.url.replace(/^https?:\/\/[^/?#]*/i, '');
  request.url = path.startsWith('/api/') ? path.slice('/api'.length) : path.startsWith('/') ? path : `/${path}`;
  next();
}
