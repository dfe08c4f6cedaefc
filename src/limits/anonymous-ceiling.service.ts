import { Injectable } from '@nestjs/common';
import { type NextFunction, type Request, type Response } from 'express';
import { anonymous } from './buckets.js';
import { KnownCallersService } from './known-callers.service.js';
import { LimiterService } from './limiter.service.js';
import { VisitsService } from './visits.service.js';

/** What answers always: `@SkipLimits()` takes effect only behind the body parser. */
const unlimited = /^\/health(\/ready)?$/;

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
   * Middleware in front of the body parser. Callers known from lately pass also when their address is blocked: behind one
   * address there may be an office, or everybody where a proxy is not trusted. One who adds to the flood is forgotten.
   */
  readonly gate = (request: Request, response: Response, next: NextFunction): void => {
    const { address } = this.visits.of(request);
    if (this.limiter.isBlocked(anonymous, address) && !unlimited.test(request.path) && !this.callers.find(request)) {
      this.count(request, response).then(() => next(), next);
    } else {
      next();
    }
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
      this.callers.forget(request);
      throw error;
    }
  }
}
