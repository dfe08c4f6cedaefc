/**
 * Runs at most `concurrency` pieces of work at once and lets at most `capacity` wait; what comes beyond is refused by
 * `full()`. Hashing takes a thread for a quarter of a second: unbounded, a flood of logins would queue for minutes.
 */
export class WorkQueue {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly concurrency: number,
    private readonly capacity: number,
    private readonly full: () => Error,
  ) {}

  /** How many wait for their turn. */
  get length(): number {
    return this.waiting.length;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.concurrency) {
      if (this.waiting.length >= this.capacity) throw this.full();
      await new Promise<void>(resolve => this.waiting.push(resolve));
    } else this.running++;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}
