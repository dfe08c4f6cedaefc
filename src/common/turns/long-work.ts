import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Claim, FairShare, type FairShareOptions } from './fair-share.js';
import { inOneTurn } from './one-turn.js';

const longestPauseMs = 500;

/**
 * Work that holds the event loop, up to 0.1 s in one go. One piece of it is done at a time, and callers have their turns one after the
 * other.
 */
export class LongWork {
  private readonly share: FairShare;

  constructor(options: Omit<FairShareOptions, 'places'>) {
    this.share = new FairShare({ places: 1, ...options });
  }

  /**
   * @throws the refusal of a caller whose line is full; the signal's reason when it aborts before the work begins; what the work throws,
   * and as `inOneTurn` does
   */
  async run<T>(claim: Claim, work: () => T | Promise<T>): Promise<T> {
    const leave = await this.share.enter(claim);
    await nextTurn();
    const since = performance.now();
    try {
      claim.signal?.throwIfAborted();
      return await inOneTurn(work);
    } finally {
      // Other requests, which need several turns each, have as much time as the work took.
      setTimeout(leave, Math.min(performance.now() - since, longestPauseMs));
    }
  }
}
