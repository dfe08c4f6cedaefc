import { outsideRequest } from '../common/logging/request-context.js';

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export interface BatcherOptions {
  /** The most statements under way. */
  width?: number;
  /** Milliseconds after which a statement no longer holds up later callers. */
  patienceMs?: number;
}

/**
 * Gathers the questions of many callers into one statement. While a statement is under way, new questions wait for the next one, so
 * the more come, the fewer statements each costs. After `patienceMs` a slow statement no longer blocks: the next one starts beside
 * it, up to `width`.
 */
export class Batcher<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private underWay = 0;
  private slow = 0;
  private isScheduled = false;
  private readonly width: number;
  private readonly patienceMs: number;

  /** @param work takes the items in the order they came and returns a result for each. An error goes to everyone in the batch. */
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

  /** Starts in the next phase of the event loop, so that everything that arrives in this turn joins the batch. */
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
