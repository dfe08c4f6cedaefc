import { Injectable } from '@nestjs/common';
import { type NextFunction, type Request, type Response } from 'express';
import { anonymous, buckets } from './buckets.js';
import { KnownCallersService } from './known-callers.service.js';
import { LimiterService } from './limiter.service.js';
import { TooManyRequestsError } from './limits.errors.js';
import { VisitsService } from './visits.service.js';

const unlimited = /^\/health(\/ready)?\/?$/i;
/** Routes that count by address in a bucket of their own. */
const entries = /^\/auth\/(login|register)\/?$/i;

/**
 * The limit of what reaches no bucket: unknown routes, unreadable bodies, 401s, public documents. Such a request is counted
 * once it is known to be one, before its answer leaves (`count`); the address that used up its share is then refused before
 * its bodies are read or its credentials looked at (`gate`).
 */
@Injectable()
export class AnonymousCeiling {
  constructor(
    private readonly limiter: LimiterService,
    private readonly visits: VisitsService,
    private readonly callers: KnownCallersService,
  ) {}

  /**
   * Middleware in front of the body parser. From a blocked address pass what other limits count: health, logins and
   * registrations, and callers known from lately or by their token: behind one address there may be an office, or everybody
   * where a proxy is not trusted. A credential that adds to the flood no longer does.
   */
  readonly gate = (request: Request, response: Response, next: NextFunction): void => {
    const { address } = this.visits.of(request);
    if (!this.limiter.isBlocked(anonymous, address) || unlimited.test(request.path) || this.callers.isLikelyGood(request)) {
      next();
      return;
    }
    this.charge(request, response).then(() => next(), next);
  };

  /** A login or a registration is refused here if its own bucket would refuse it, before its body is read. */
  private async charge(request: Request, response: Response): Promise<void> {
    const entry = request.method === 'POST' ? entries.exec(request.path)?.[1] : undefined;
    if (entry === undefined) return this.count(request, response);
    const name = entry.toLowerCase() as 'login' | 'register';
    this.limiter.refuseBlocked({ name, limit: buckets[name].limit }, this.visits.of(request).address, response);
  }

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
