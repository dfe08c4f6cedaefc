/** Lets so many pieces of work run at once, so many wait in order, and refuses the rest. */
export class WorkLimit {
  working = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly atOnce: number,
    private readonly mostWaiting: number,
    private readonly refusal: (waiting: number) => Error,
  ) {}

  /** @throws the refusal when the line is full, or the signal's reason when it aborts in the line. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.working >= this.atOnce) await this.queue(signal);
    else this.working++;
    try {
      return await work();
    } finally {
      // The place is handed over without being free in between, so that nobody overtakes the line.
      const next = this.waiting.shift();
      if (next) next();
      else this.working--;
    }
  }

  private queue(signal: AbortSignal): Promise<void> {
    if (this.waiting.length >= this.mostWaiting) throw this.refusal(this.waiting.length);
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        this.waiting.splice(this.waiting.indexOf(enter), 1);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.waiting.push(enter);
    });
  }
}
