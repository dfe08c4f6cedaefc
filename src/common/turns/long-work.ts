import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Claim, FairShare, type FairShareOptions } from './fair-share.js';
import { inOneTurn } from './one-turn.js';

const longestPauseMs = 500;

/**
 * A queue for work that holds the event loop for up to 0.1 s in one go. One piece of work is done at a time, and callers have turns one
 * after the other.
 */
export class LongWork {
  private readonly share: FairShare;

  constructor(options: Omit<FairShareOptions, 'places'>) {
    this.share = new FairShare({ places: 1, ...options });
  }

  /**
   * Waits for a turn, then does the work.
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
      // The place stays taken for as long as the work took, so that other requests, which need several turns each, get as much time.
      setTimeout(leave, Math.min(performance.now() - since, longestPauseMs));
    }
  }
}
