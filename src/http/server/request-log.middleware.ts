import { type NextFunction, type Request, type Response } from 'express';
import { type Logger } from 'pino';
import { loggedPath, wordsOfRoutes } from './route-of.js';

/** Logs one line per request. The query string stays out, because it may hold what a user typed. */
export function requestLogMiddleware(log: Logger, basePath: string) {
  let words: ReadonlySet<string> | undefined;
  return (request: Request, response: Response, next: NextFunction): void => {
    if (!log.isLevelEnabled('info')) return next();
    const startedAt = performance.now();
    response.once('close', () => {
      words ??= wordsOfRoutes(request.app);
      log.info({
        request_id: response.getHeader('X-Request-ID'),
        method: request.method,
        path: loggedPath(request, words, basePath),
        status: response.statusCode,
        ms: Math.round((performance.now() - startedAt) * 10) / 10,
        ...(response.writableFinished ? {} : { aborted: true }),
      });
    });
    next();
  };
}
