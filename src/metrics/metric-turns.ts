import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type Claim, FairShare } from '../common/turns/fair-share.js';
import { MetricsBusyError } from './metrics.errors.js';

const longestPauseMs = 500;

/**
 * Parsing, compiling and drawing hold the event loop up to 0.1 s. One piece of such work is done in a turn of it, and callers have
 * their turns one after the other.
 */
@Injectable()
export class MetricTurns {
  private readonly share = new FairShare({
    places: 1,
    waitingPerCaller: 64,
    waiting: 500,
    patienceMs: 30_000,
    refuse: retryAfterS => new MetricsBusyError(retryAfterS),
  });

  /** @throws MetricsBusyError; the signal's reason when it aborts before the work begins; what the work throws */
  async run<T>(claim: Claim, work: () => T | Promise<T>): Promise<T> {
    const leave = await this.share.enter(claim);
    await nextTurn();
    const since = performance.now();
    try {
      claim.signal?.throwIfAborted();
      return await work();
    } finally {
      // Other requests, which need several turns each, have as much time as the work took.
      setTimeout(leave, Math.min(performance.now() - since, longestPauseMs));
    }
  }
}
