/**
 * A clock that counts on from a known time with the monotonic clock, so that setting the system clock back does not turn this clock back.
 */
export class SteadyClock {
  private readonly startedAt = performance.now();

  constructor(private readonly from: Date) {}

  /** The earliest time that the current time can be. */
  now(): Date {
    return new Date(this.from.getTime() + performance.now() - this.startedAt);
  }
}
