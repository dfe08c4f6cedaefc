import { type Express, type Request } from 'express';

interface Layer {
  route?: { path: unknown };
}

const mostSegments = 12;

/** The template of the request's route, such as `/graphs/:id/query`. Null before routing and when no route matches. */
export function routeOf(request: Request): string | null {
  const { path } = (request.route ?? {}) as { path?: unknown };
  return typeof path === 'string' ? path : null;
}

/** All words that occur in the routes of the application, for logging paths that match no route. */
export function wordsOfRoutes(app: Request['app']): ReadonlySet<string> {
  const { stack } = (app as Express & { router: { stack: Layer[] } }).router;
  const paths = stack.map(({ route }) => route?.path).filter(path => typeof path === 'string');
  return new Set(paths.flatMap(path => path.split('/')).filter(word => word !== '' && !word.startsWith(':')));
}

/**
 * Makes a path safe for the log: words of the service's routes and ids stay, and every other part becomes `*`. People paste tokens,
 * passwords and names into paths, and the log must not store them.
 */
export function loggedPath(request: Request, words: ReadonlySet<string>, basePath: string): string {
  const [path = ''] = request.originalUrl.slice(request.originalUrl.startsWith(`${basePath}/`) ? basePath.length : 0).split('?', 1);
  const segments = path.split('/', mostSegments + 1).map(segment => {
    return segment === '' || segment === 'api' || words.has(segment) || /^\d{1,10}$/.test(segment) ? segment : '*';
  });
  return segments.slice(0, mostSegments).join('/');
}
