import { Injectable } from '@nestjs/common';
import { InjectThrottlerStorage, type ThrottlerStorage } from '@nestjs/throttler';
import { type Response } from 'express';
import { Settings } from '../config/settings.js';
import { type Caller, type Charge, chargesOf, type Limits, windowMs } from './charge.js';
import { LimitsUnavailableError, TooManyRequestsError } from './limits.errors.js';
import { RecentMap } from './recent-map.js';
import { type HitRecord } from './storage/sliding-log.js';

const rememberedBlocks = 50_000;

/** Counts requests against their limits and reports them in the `RateLimit` headers (draft-ietf-httpapi-ratelimit-headers-10). */
@Injectable()
export class LimiterService {
  /** By key: the time (of `performance.now()`) until which the key is known to be refused, so that a blocked client costs no query. */
  private readonly blockedUntil = new RecentMap<string, number>(windowMs, rememberedBlocks, () => performance.now());

  constructor(
    @InjectThrottlerStorage() private readonly storage: ThrottlerStorage,
    private readonly settings: Settings,
  ) {}

  get limits(): Limits {
    return this.settings.rateLimits;
  }

  /**
   * Returns, for each limit of a caller, the requests per minute and the number of requests left now. The call itself is not counted.
   * @throws LimitsUnavailableError
   */
  async look(caller: Caller): Promise<{ name: string; limit: number; left: number }[]> {
    return Promise.all(
      chargesOf(caller, this.limits).map(async charge => {
        const { name, limit, subject } = this.scale(charge);
        // A limit of 0 admits no request, so the storage counts nothing and only returns the number of hits in the window.
        const { totalHits } = await this.ask(name, subject, 0);
        return { name, limit, left: Math.max(0, limit - totalHits) };
      }),
    );
  }

  /**
   * Counts one request, and returns if the request is admitted.
   * @throws TooManyRequestsError; LimitsUnavailableError when the storage does not answer
   */
  async admit(charge: Charge, response: Response): Promise<void> {
    this.refuseBlocked(charge, response);
    const scaled = this.scale(charge);
    const record = await this.decide(scaled);
    if (record.isBlocked) this.refuse(scaled, record.timeToBlockExpire, response);
    announce(scaled, scaled.limit - record.totalHits, record.timeToExpire, response);
  }

  /**
   * Counts an action that a user starts without a request, and returns if the action is admitted.
   * @throws the errors of `admit`
   */
  async count(charge: Charge): Promise<void> {
    const scaled = this.scale(charge);
    let seconds = this.blockedSeconds(scaled);
    if (seconds <= 0) {
      const record = await this.decide(scaled);
      if (!record.isBlocked) return;
      seconds = record.timeToBlockExpire;
    }
    throw new TooManyRequestsError(scaled, wholeSeconds(seconds));
  }

  /** Whether this process already knows, without asking the storage, that the request would be refused. */
  isBlocked(charge: Charge): boolean {
    return this.blockedSeconds(this.scale(charge)) > 0;
  }

  /** @throws TooManyRequestsError if this process knows that the request would be refused, without asking the storage */
  refuseBlocked(charge: Charge, response: Response): void {
    const scaled = this.scale(charge);
    const seconds = this.blockedSeconds(scaled);
    if (seconds > 0) this.refuse(scaled, seconds, response);
  }

  /** Whether a request was counted or refused. Its response then has the header `RateLimit`. */
  hasCounted(response: Response): boolean {
    return response.hasHeader('RateLimit');
  }

  private async decide(scaled: Charge): Promise<HitRecord> {
    const askedAt = performance.now();
    const record = await this.ask(scaled.name, scaled.subject, scaled.limit);
    // The block is measured from the time before the storage was asked. The storage measures from a later time, so this process refuses no
    // request after its Retry-After.
    if (record.isBlocked) this.blockedUntil.set(blockKey(scaled), askedAt + record.timeToBlockExpire * 1000);
    return record;
  }

  private async ask(name: string, subject: string, limit: number): Promise<HitRecord> {
    try {
      return await this.storage.increment(`${name}:${subject}`, windowMs, limit, 0, name);
    } catch (error) {
      throw new LimitsUnavailableError(error);
    }
  }

  private blockedSeconds(scaled: Charge): number {
    const until = this.blockedUntil.get(blockKey(scaled));
    return until === undefined ? 0 : (until - performance.now()) / 1000;
  }

  private refuse(scaled: Charge, seconds: number, response: Response): never {
    announce(scaled, 0, seconds, response);
    throw new TooManyRequestsError(scaled, wholeSeconds(seconds));
  }

  private scale(charge: Charge): Charge {
    return { ...charge, limit: charge.limit * this.settings.rateLimitScale };
  }
}

const blockKey = ({ name, limit, subject }: Charge) => `${name}:${limit}:${subject}`;

/**
 * Rounds up to whole seconds, but ignores up to a microsecond: sums of floating-point times may be off by that, and a request takes far
 * longer to arrive.
 */
function wholeSeconds(seconds: number): number {
  return Math.ceil(seconds - 1e-6);
}

/**
 * Adds the rate limit headers to a response. `r`: requests left now. `t`: whole seconds until one more request is admitted. Two policies on
 * one response make two lines of each header.
 */
function announce({ name, limit }: Charge, left: number, seconds: number, response: Response): void {
  response.appendHeader('RateLimit-Policy', `"${name}";q=${limit};w=${windowMs / 1000}`);
  response.appendHeader('RateLimit', `"${name}";r=${Math.max(0, left)};t=${wholeSeconds(seconds)}`);
}
