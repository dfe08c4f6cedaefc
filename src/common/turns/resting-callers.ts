const rememberedMs = 600_000;
const restMs = 60_000;

/**
 * Lets callers rest whose work has to be ended. After the second such work in ten minutes its caller rests for a minute, and for one more
 * after each further one, up to ten.
 */
export class RestingCallers {
  /** The times of the ends, by caller, oldest first. */
  private readonly ends = new Map<string | number, number[]>();

  /** @param refuse makes the error for a caller who rests for so many seconds */
  constructor(
    private readonly refuse: (leftS: number) => Error,
    private readonly now: () => number = Date.now,
  ) {}

  /** Work of the caller has been ended. */
  noteEnd(caller: string | number): void {
    for (const [each, times] of this.ends) {
      const recent = times.filter(time => this.now() - time < rememberedMs);
      if (recent.length > 0) this.ends.set(each, recent);
      else this.ends.delete(each);
    }
    this.ends.set(caller, [...(this.ends.get(caller) ?? []), this.now()]);
  }

  /** @throws the refusal */
  admit(caller: string | number): void {
    const times = this.ends.get(caller);
    if (times === undefined) return;
    const leftMs = times.at(-1)! + Math.min((times.length - 1) * restMs, rememberedMs) - this.now();
    if (leftMs > 0) throw this.refuse(Math.ceil(leftMs / 1000));
  }
}
