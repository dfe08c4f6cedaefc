import { type ArgumentsHost, Catch, Inject } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { type Logger } from 'pino';
import { toApiError } from '../common/errors/to-api-error.js';
import { ErrorFilter } from '../http/server/error.filter.js';
import { LOG } from '../common/logging/log.js';
import { Telemetry } from '../telemetry/telemetry.service.js';
import { AnonymousCeiling } from './anonymous-ceiling.service.js';
import { TooManyRequestsError } from './limits.errors.js';

/** The error filter, which first counts what ends in an error without having reached a bucket: 404s, 401s. */
@Catch()
export class CountingErrorFilter extends ErrorFilter {
  constructor(
    @Inject(LOG) log: Logger,
    private readonly ceiling: AnonymousCeiling,
    private readonly telemetry: Telemetry,
  ) {
    super(log);
  }

  override catch(thrown: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    this.count(thrown, host)
      .then(error => {
        if (error instanceof TooManyRequestsError) this.telemetry.requestRefused(error.bucket);
        super.catch(error, host);
      })
      .catch(() => response.destroy());
  }

  /** The error to answer with: the one thrown, or the refusal to hear any more of them. */
  private async count(thrown: unknown, host: ArgumentsHost): Promise<unknown> {
    const error = toApiError(thrown);
    const http = host.switchToHttp();
    const response = http.getResponse<Response>();
    // A fault of ours is nobody's flood: it is told as what it is, also to an address that is refused.
    if (error.status >= 500 || error instanceof TooManyRequestsError || response.headersSent) return error;
    try {
      await this.ceiling.count(http.getRequest<Request>(), response);
      return error;
    } catch (refusal) {
      return refusal;
    }
  }
}
