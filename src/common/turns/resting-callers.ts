const rememberedMs = 600_000;
const restMs = 60_000;

/**
 * Makes a caller rest if work of that caller had to be ended repeatedly. After the second ended work in ten minutes, the caller rests for a
 * minute. Each further ended work adds a minute, up to ten.
 */
export class RestingCallers {
  /** The times at which work was ended, by caller, oldest first. */
  private readonly ends = new Map<string | number, number[]>();

  /** @param refuse makes the error for a caller who rests, from the seconds that are left of the rest */
  constructor(
    private readonly refuse: (leftS: number) => Error,
    private readonly now: () => number = Date.now,
  ) {}

  /** Records that work of the caller had to be ended. */
  noteEnd(caller: string | number): void {
    for (const [each, times] of this.ends) {
      const recent = times.filter(time => this.now() - time < rememberedMs);
      if (recent.length > 0) this.ends.set(each, recent);
      else this.ends.delete(each);
    }
    this.ends.set(caller, [...(this.ends.get(caller) ?? []), this.now()]);
  }

  /** Refuses a caller who rests. @throws the error that `refuse` makes */
  admit(caller: string | number): void {
    const times = this.ends.get(caller);
    if (times === undefined) return;
    const leftMs = times.at(-1)! + Math.min((times.length - 1) * restMs, rememberedMs) - this.now();
    if (leftMs > 0) throw this.refuse(Math.ceil(leftMs / 1000));
  }
}
