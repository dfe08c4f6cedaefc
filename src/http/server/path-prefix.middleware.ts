import { type NextFunction, type Request, type Response } from 'express';

/**
 * Serves every route under `/api/…` and, identically, without it; both also under `basePath`, which some proxies do not remove. No
 * other code knows the prefixes. For a target in absolute form, as proxies send it, the path counts (RFC 9112, section 3.2.2).
 */
export function pathPrefixMiddleware(basePath: string): (request: Request, response: Response, next: NextFunction) => void {
  return (request, _response, next) => {
    const target = request.url.replace(/^https?:\/\/[^/?#]*/i, '');
    request.url = without('/api', without(basePath, target.startsWith('/') ? target : `/${target}`));
    next();
  };
}

function without(prefix: string, target: string): string {
  if (prefix === '' || !target.startsWith(prefix)) return target;
  const rest = target.slice(prefix.length);
  if (rest.startsWith('/')) return rest;
  return rest === '' || rest.startsWith('?') ? `/${rest}` : target;
}
