/** Counts on from a known time with the monotonic clock, so that setting the system clock back does not turn it back. */
export class SteadyClock {
  private readonly startedAt = performance.now();

  constructor(private readonly from: Date) {}

  /** The earliest time that it can be by now. */
  now(): Date {
    return new Date(this.from.getTime() + performance.now() - this.startedAt);
  }
}
