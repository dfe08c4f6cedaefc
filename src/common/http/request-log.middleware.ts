import { type NextFunction, type Request, type Response } from 'express';
import { type Logger } from 'pino';

/** One line per request. The query string stays out: it may hold what a user typed. */
export function requestLogMiddleware(log: Logger) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const startedAt = performance.now();
    const path = request.originalUrl.split('?', 1)[0];
    response.once('close', () => {
      log.info({
        request_id: response.getHeader('X-Request-ID'),
        method: request.method,
        path,
        status: response.statusCode,
        ms: Math.round((performance.now() - startedAt) * 10) / 10,
        ...(response.writableFinished ? {} : { aborted: true }),
      });
    });
    next();
  };
}
