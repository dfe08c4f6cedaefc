import { type ThrottlerStorage } from '@nestjs/throttler';

/**
 * The throttler's record of one request, with exact values. `totalHits`: admitted requests in the window, including this one.
 * `timeToExpire`: seconds, not rounded, until the oldest of them leaves the window. `timeToBlockExpire`: seconds until a request is
 * admitted again, if this one was refused.
 */
export type HitRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

const firstCapacity = 4;

/**
 * The times of one key's hits that are younger than the window, in a ring buffer. A sliding log never admits more than N requests in any
 * window (a fixed window admits 2 N, a token bucket 2 N - 1). A hit that is exactly one window old no longer counts. Each time is written
 * and dropped once, so the cost of a hit does not depend on the number of hits.
 */
export class SlidingLog {
  private times = new Float64Array(firstCapacity);
  private first = 0;
  private length = 0;

  /** Counts a request at `nowMs` if fewer than `limit` requests are in the window. A refused request is not stored. */
  hit(nowMs: number, windowMs: number, limit: number): HitRecord {
    while (this.length > 0 && this.at(0) <= nowMs - windowMs) {
      this.first = (this.first + 1) % this.times.length;
      this.length -= 1;
    }
    const isBlocked = this.length >= limit;
    if (!isBlocked) this.append(nowMs);
    const secondsUntilGone = (index: number) => (this.at(index) + windowMs - nowMs) / 1000;
    return {
      totalHits: this.length,
      timeToExpire: secondsUntilGone(0),
      isBlocked,
      // The limit may have been lowered below the number of hits in the window. Then several hits must leave the window before a request is
      // admitted, not only the oldest.
      timeToBlockExpire: isBlocked ? secondsUntilGone(this.length - limit) : 0,
    };
  }

  private at(index: number): number {
    return this.times[(this.first + index) % this.times.length]!;
  }

  private append(time: number): void {
    if (this.length === this.times.length) {
      const wider = new Float64Array(this.length * 2);
      for (let index = 0; index < this.length; index++) wider[index] = this.at(index);
      this.times = wider;
      this.first = 0;
    }
    this.times[(this.first + this.length) % this.times.length] = time;
    this.length += 1;
  }
}
