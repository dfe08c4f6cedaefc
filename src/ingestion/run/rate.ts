const windowMs = 10_000;
const leastMs = 500;

/**
 * The growth rate of a number over the last ten seconds. Only changes of the number are kept. The time since the last change counts too, so
 * the rate of a number that no longer grows falls to 0.
 */
export class Rate {
  private readonly changes: { at: number; value: number }[] = [];

  constructor(private readonly now: () => number = () => performance.now()) {}

  add(value: number): void {
    const at = this.now();
    if (this.changes.at(-1)?.value !== value) this.changes.push({ at, value });
    while (this.changes.length > 1 && this.changes[1]!.at < at - windowMs) this.changes.shift();
  }

  forget(): void {
    this.changes.length = 0;
  }

  /** The growth per second; null until it can be measured. */
  get perSecond(): number | null {
    const [first] = this.changes;
    if (!first) return null;
    const passedMs = this.now() - first.at;
    if (this.changes.length === 1) return passedMs > windowMs ? 0 : null;
    return passedMs < leastMs ? null : Math.round(((this.changes.at(-1)!.value - first.value) * 1000) / passedMs);
  }
}
