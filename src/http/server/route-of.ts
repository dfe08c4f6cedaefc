import { type Express, type Request } from 'express';

interface Layer {
  route?: { path: unknown };
}

const mostSegments = 12;

/** The template of the route that a request reached, such as `/graphs/:id/query`; null before one is reached and where there is none. */
export function routeOf(request: Request): string | null {
  const { path } = (request.route ?? {}) as { path?: unknown };
  return typeof path === 'string' ? path : null;
}

/** Every word that stands in a route of the application; for paths that lead nowhere. */
export function wordsOfRoutes(app: Request['app']): ReadonlySet<string> {
  const { stack } = (app as Express & { router: { stack: Layer[] } }).router;
  const paths = stack.map(({ route }) => route?.path).filter(path => typeof path === 'string');
  return new Set(paths.flatMap(path => path.split('/')).filter(word => word !== '' && !word.startsWith(':')));
}

/**
 * The path of a request as a log may know it: words of our routes and ids, `*` for the rest. People paste tokens, passwords
 * and names into paths, and every proxy on the way would have them from us.
 */
export function loggedPath(request: Request, words: ReadonlySet<string>): string {
  const [path = ''] = request.originalUrl.split('?', 1);
  const segments = path.split('/', mostSegments + 1).map(segment => {
    return segment === '' || segment === 'api' || words.has(segment) || /^\d{1,10}$/.test(segment) ? segment : '*';
  });
  return segments.slice(0, mostSegments).join('/');
}
