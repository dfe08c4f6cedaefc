import { outsideRequest } from '../common/logging/request-context.js';

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export interface BatcherOptions {
  /** The most statements that run at once. */
  width?: number;
  /** Milliseconds after which a running statement does not delay the next one any more. */
  patienceMs?: number;
}

/**
 * Gathers the look-ups of many callers into one statement. While a statement runs, new look-ups wait for the next statement, so the more
 * look-ups arrive, the more of them share one statement. Once a statement has run for `patienceMs`, the next one starts beside it, up to
 * `width` at once.
 */
export class Batcher<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private underWay = 0;
  private slow = 0;
  private isScheduled = false;
  private readonly width: number;
  private readonly patienceMs: number;

  /**
   * @param work takes the items in the order in which they came, and returns a result for each. If it fails, all callers of the batch get
   * its error.
   */
  constructor(
    private readonly work: (items: Item[]) => Promise<readonly Result[]>,
    { width = 1, patienceMs = 50 }: BatcherOptions = {},
  ) {
    this.width = width;
    this.patienceMs = patienceMs;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.schedule();
    });
  }

  /** Starts the next statement in the next phase of the event loop, so that all look-ups of the current phase join the batch. */
  private schedule(): void {
    if (this.isScheduled || this.waiting.length === 0 || this.underWay > this.slow || this.underWay >= this.width) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      void this.run(this.waiting.splice(0));
    });
  }

  private async run(batch: Waiting<Item, Result>[]): Promise<void> {
    let isSlow = false;
    const patience = setTimeout(() => {
      isSlow = true;
      this.slow += 1;
      this.schedule();
    }, this.patienceMs);
    this.underWay += 1;
    try {
      const results = await outsideRequest(() => this.work(batch.map(({ item }) => item)));
      batch.forEach(({ resolve }, index) => resolve(results[index]!));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      clearTimeout(patience);
      this.underWay -= 1;
      if (isSlow) this.slow -= 1;
      this.schedule();
    }
  }
}
