/**
 * Keeps the best `count` of the items offered, at O(log count) for each item, for example a page of hits out of up to a million (binary
 * heap).
 */
export class BestOf<T> {
  /** A heap whose root is the worst item kept. */
  private readonly heap: T[] = [];

  constructor(
    private readonly count: number,
    private readonly isBetter: (a: T, b: T) => boolean,
  ) {}

  offer(item: T): void {
    const { heap } = this;
    if (heap.length < this.count) {
      heap.push(item);
      for (let i = heap.length - 1; i > 0;) {
        const parent = (i - 1) >> 1;
        if (!this.isBetter(heap[parent] as T, heap[i] as T)) break;
        this.swap(parent, i);
        i = parent;
      }
    } else if (this.count > 0 && this.isBetter(item, heap[0] as T)) {
      heap[0] = item;
      this.sink();
    }
  }

  /** The kept items, best first. */
  take(): T[] {
    return this.heap.sort((a, b) => (this.isBetter(a, b) ? -1 : 1));
  }

  private sink(): void {
    const { heap } = this;
    for (let i = 0; ;) {
      const left = 2 * i + 1;
      if (left >= heap.length) return;
      const right = left + 1;
      const worst = right < heap.length && this.isBetter(heap[left] as T, heap[right] as T) ? right : left;
      if (this.isBetter(heap[worst] as T, heap[i] as T)) return;
      this.swap(worst, i);
      i = worst;
    }
  }

  private swap(i: number, j: number): void {
    const kept = this.heap[i] as T;
    this.heap[i] = this.heap[j] as T;
    this.heap[j] = kept;
  }
}
