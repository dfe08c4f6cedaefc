import { Injectable } from '@nestjs/common';
import { type NextFunction, type Request, type Response } from 'express';
import { anonymous } from './buckets.js';
import { KnownCallersService } from './known-callers.service.js';
import { LimiterService } from './limiter.service.js';
import { TooManyRequestsError } from './limits.errors.js';
import { VisitsService } from './visits.service.js';

/** Routes without a limit, or with one per address of their own: their guards decide. */
const limitedElsewhere = /^\/(health(\/ready)?|auth\/(login|register))\/?$/i;

/**
 * The limit of what reaches no bucket: unknown routes, 401s, public documents. Such a request is counted
 * once it is known to be one, before its answer leaves (`count`); the address that used up its share is then refused before
 * its credentials are looked at (`gate`).
 */
@Injectable()
export class AnonymousCeiling {
  constructor(
    private readonly limiter: LimiterService,
    private readonly visits: VisitsService,
    private readonly callers: KnownCallersService,
  ) {}

  /**
   * Middleware in front of everything that costs. From a blocked address pass what other limits count: health, logins and
   * registrations, and callers known from lately or by their token: behind one address there may be an office, or everybody
   * where a proxy is not trusted. A credential that adds to the flood no longer does.
   */
  readonly gate = (request: Request, response: Response, next: NextFunction): void => {
    const isRefused =
      this.limiter.isBlocked(anonymous, this.visits.of(request).address) &&
      !limitedElsewhere.test(request.path) &&
      !this.callers.isLikelyGood(request);
    if (isRefused) this.count(request, response).then(() => next(), next);
    else next();
  };

  /** Middleware in front of documents that Express serves without guards. */
  readonly guard = (request: Request, response: Response, next: NextFunction): void => {
    this.count(request, response).then(() => next(), next);
  };

  /**
   * Counts a request unless a bucket has taken it.
   * @throws TooManyRequestsError beyond the ceiling.
   */
  async count(request: Request, response: Response): Promise<void> {
    const visit = this.visits.of(request);
    if (visit.counted) return;
    visit.counted = true;
    try {
      await this.limiter.admit(anonymous, visit.address, response);
    } catch (error) {
      if (error instanceof TooManyRequestsError) this.callers.distrust(request);
      throw error;
    }
  }
}
