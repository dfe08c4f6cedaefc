import { type NextFunction, type Request, type Response } from 'express';
import { toApiError } from '../errors/to-api-error.js';

/** Names the body parser's errors while they still say what they are; Nest would turn them into its own, which quote the body. */
export function bodyErrorMiddleware(error: unknown, _request: Request, _response: Response, next: NextFunction): void {
  next(toApiError(error));
}
