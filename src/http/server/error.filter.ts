import { type ArgumentsHost, Catch, type ExceptionFilter, Inject } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { type Logger } from 'pino';
import { type ApiError } from '../../common/errors/api-error.js';
import { isLegacyPath, toErrorBody } from '../../common/errors/error-body.js';
import { toApiError } from '../../common/errors/to-api-error.js';
import { logToken } from '../../common/logging/log.js';

/**
 * Whether an error is a fault of the service, which is logged. A 501 is deliberate, and so is a 503 without a cause. A 503 without a cause
 * may go to thousands of callers at once, which would flood the log.
 */
function isFault({ status, cause }: ApiError): boolean {
  return status >= 500 && status !== 501 && (status !== 503 || cause !== undefined);
}

/** Turns the errors of routes into responses. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(@Inject(logToken) private readonly log: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const error = toApiError(thrown);
    // `answerProtocolErrors` has already answered a request whose body broke off, so the handler's later attempt to answer is not a fault.
    if (response.writableEnded && (error.cause as { code?: unknown } | undefined)?.code === 'ERR_HTTP_HEADERS_SENT') return;
    if (isFault(error)) this.report(error, response);
    if (response.headersSent) {
      // A stream that fails half-way must not end cleanly, because it would look complete. Over HTTP/1.0 even closing the connection is a
      // clean end, so the connection is reset.
      response.socket?.resetAndDestroy();
      return;
    }
    for (const [name, value] of Object.entries(error.headers ?? {})) response.setHeader(name, value);
    // The handler may have set the content type of the file that it failed to send.
    response.removeHeader('Content-Type');
    response.status(error.status).json(toErrorBody(error, isLegacyPath(request.path)));
  }

  private report(error: ApiError, response: Response): void {
    const { cause, code } = error;
    this.log.error({ request_id: response.getHeader('X-Request-ID'), code, ...(cause === undefined ? {} : { cause }) }, error.text.en);
  }
}
