import { type ArgumentsHost, Catch, Inject } from '@nestjs/common';
import { type NextFunction, type Request, type Response } from 'express';
import { type Logger } from 'pino';
import { type Principal } from '../access/principal.js';
import { TurnTooLongError } from '../common/errors/common-errors.js';
import { toApiError } from '../common/errors/to-api-error.js';
import { RestingCallers } from '../common/turns/resting-callers.js';
import { CallerGoneError } from '../http/call-signal.decorator.js';
import { ErrorFilter } from '../http/server/error.filter.js';
import { logToken } from '../common/logging/log.js';
import { Telemetry } from '../telemetry/telemetry.service.js';
import { anonymous } from './charge.js';
import { ClientAddressService } from './client-address.service.js';
import { KnownCallersService } from './known-callers.service.js';
import { mayRest } from './limits.guard.js';
import { LimiterService } from './limiter.service.js';
import { TooManyRequestsError } from './limits.errors.js';

/**
 * The error filter of the service. Before it answers, it counts a failed request that no guard has counted, such as a 404 or a 401, against
 * its address. An address that has used up its limit gets a 429 in place of the error.
 */
@Catch()
export class CountingErrorFilter extends ErrorFilter {
  constructor(
    @Inject(logToken) log: Logger,
    private readonly limiter: LimiterService,
    private readonly addresses: ClientAddressService,
    private readonly callers: KnownCallersService,
    private readonly telemetry: Telemetry,
    private readonly resting: RestingCallers,
  ) {
    super(log);
  }

  override catch(thrown: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    this.countError(thrown, host)
      .then(error => {
        if (error instanceof TooManyRequestsError) this.telemetry.requestRefused(error.bucket);
        super.catch(error, host);
      })
      .catch(() => response.destroy());
  }

  /** Middleware for documents that Express serves without guards. Requests for them count against the address, as errors do. */
  readonly countDocument = (request: Request, response: Response, next: NextFunction): void => {
    this.count(request, response).then(() => next(), next);
  };

  /** The error to answer with: the original one, or a 429. */
  private async countError(thrown: unknown, host: ArgumentsHost): Promise<unknown> {
    const error = toApiError(thrown);
    const http = host.switchToHttp();
    const response = http.getResponse<Response>();
    const request = http.getRequest<Request & { user?: Principal }>();
    if (error instanceof TurnTooLongError && request.user && mayRest(request)) this.resting.noteEnd(request.user.userId);
    // A fault of the service is not counted. Its error is shown even to an address that has used up its limit.
    if (error.status >= 500 || response.headersSent || this.limiter.hasCounted(response)) return error;
    // A known caller who closed the connection while waiting is not counted. The limit of an address is meant against floods by strangers.
    if (error instanceof CallerGoneError && this.callers.find(http.getRequest<Request>())) return error;
    try {
      await this.count(http.getRequest<Request>(), response);
      return error;
    } catch (refusal) {
      return refusal;
    }
  }

  /**
   * Counts a request against its address. A refusal also makes `KnownCallersService` distrust the request's credential, so that the
   * credential no longer passes from a blocked address.
   */
  private async count(request: Request, response: Response): Promise<void> {
    try {
      await this.limiter.admit(anonymous(this.addresses.of(request), this.limiter.limits), response);
    } catch (error) {
      if (error instanceof TooManyRequestsError) this.callers.distrust(request);
      throw error;
    }
  }
}
