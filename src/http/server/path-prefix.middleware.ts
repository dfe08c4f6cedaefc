import { type NextFunction, type Request, type Response } from 'express';

/**
 * Serves every route under `/api/…` and, identically, without it. No other code knows the prefix. For a target in absolute form, as
 * proxies send it, the path counts (RFC 9112, section 3.2.2).
 */
export function pathPrefixMiddleware(request: Request, _response: Response, next: NextFunction): void {
  const path = request.url.replace(/^https?:\/\/[^/?#]*/i, '');
  request.url = path.startsWith('/api/') ? path.slice('/api'.length) : path.startsWith('/') ? path : `/${path}`;
  next();
}
