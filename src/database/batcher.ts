interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export interface BatcherOptions {
  /** Statements under way at most. */
  width?: number;
  /** Milliseconds after which a statement no longer holds up those who came after it. */
  patienceMs?: number;
}

/**
 * Gathers what many callers ask into one statement. While a statement is under way, whoever comes is part of the next; the more
 * there are, the fewer statements each costs. A slow statement stands in nobody's way: after `patienceMs` the next one starts
 * beside it, up to `width`.
 */
export class Batcher<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private underWay = 0;
  private slow = 0;
  private isScheduled = false;
  private readonly width: number;
  private readonly patienceMs: number;

  /** @param work takes the items in the order they came and returns a result for each; an error is everyone's in the batch */
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

  /** In the next phase of the event loop, so that whatever arrives in this turn goes along. */
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
      const results = await this.work(batch.map(({ item }) => item));
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
