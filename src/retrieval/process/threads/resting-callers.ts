import { CallerRestsError } from '../../retrieval.errors.js';

const rememberedMs = 600_000;
const restMs = 60_000;

/**
 * Lets callers rest whose queries end threads. A query counts once it has ended a thread of its own, after one that it shared with others.
 * After the second such query in ten minutes its caller rests for a minute, and for one more after each further query.
 */
export class RestingCallers {
  /** The times of the ends, by caller, oldest first. */
  private readonly ends = new Map<string, number[]>();

  constructor(private readonly now: () => number = Date.now) {}

  /** A query of the caller has ended a thread. */
  noteEnd(caller: string): void {
    for (const [each, times] of this.ends) {
      const recent = times.filter(time => this.now() - time < rememberedMs);
      if (recent.length > 0) this.ends.set(each, recent);
      else this.ends.delete(each);
    }
    this.ends.set(caller, [...(this.ends.get(caller) ?? []), this.now()]);
  }

  /** @throws CallerRestsError */
  admit(caller: string): void {
    const times = this.ends.get(caller);
    if (times === undefined) return;
    const leftMs = times.at(-1)! + (times.length - 1) * restMs - this.now();
    if (leftMs > 0) throw new CallerRestsError(Math.ceil(leftMs / 1000));
  }
}
