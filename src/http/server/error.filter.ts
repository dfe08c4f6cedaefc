import { type ArgumentsHost, Catch, type ExceptionFilter, Inject } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { type Logger } from 'pino';
import { type ApiError } from '../../common/errors/api-error.js';
import { isLegacyPath, toErrorBody } from '../../common/errors/error-body.js';
import { toApiError } from '../../common/errors/to-api-error.js';
import { LOG } from '../../common/logging/log.js';

/** A 501, and a 503 without a cause, are said on purpose, the latter perhaps to thousands at once. */
function isFault({ status, cause }: ApiError): boolean {
  return status >= 500 && status !== 501 && (status !== 503 || cause !== undefined);
}

/** The one place where an error becomes a response. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(@Inject(LOG) private readonly log: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const error = toApiError(thrown);
    // A body that broke off has been answered already; that its handler then wanted to say something is no fault.
    if (response.writableEnded && (error.cause as { code?: unknown } | undefined)?.code === 'ERR_HTTP_HEADERS_SENT') return;
    if (isFault(error)) this.report(error, response);
    if (response.headersSent) {
      // A stream that fails half-way can only be cut; a clean end would look complete.
      response.destroy();
      return;
    }
    for (const [name, value] of Object.entries(error.headers ?? {})) response.setHeader(name, value);
    response.status(error.status).json(toErrorBody(error, isLegacyPath(request.path)));
  }

  private report(error: ApiError, response: Response): void {
    const { cause, code } = error;
    this.log.error({ request_id: response.getHeader('X-Request-ID'), code, ...(cause === undefined ? {} : { cause }) }, error.text.en);
  }
}
