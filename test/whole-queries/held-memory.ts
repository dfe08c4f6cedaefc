import v8 from 'node:v8';
import vm from 'node:vm';

const megabyte = 1_048_576;
/** So much more in use than before the query is worth a collection of garbage. */
const leastGrown = 128 * megabyte;
/** Bytes allowed to a query after a collection, besides those it counts: for its text, its plan, the row under way. */
const besides = 24 * megabyte;
const mostShare = 1.3;
const lookEveryMs = 20;

/** Compares what queries keep from being freed with their own count of it. One query runs at a time. */
export class HeldMemory {
  private readonly collect: () => void;
  private before = 0;
  private lookedAt = 0;

  constructor() {
    v8.setFlagsFromString('--expose-gc');
    this.collect = vm.runInNewContext('gc') as () => void;
    this.settle();
  }

  /** Nothing runs: what is in use now is that of the test. */
  settle(): void {
    this.collect();
    this.before = usedBytes();
  }

  /** The bytes in use beyond those that a query counts and 30 % of them. Call it where the query pauses. */
  uncounted(heldBytes: number): number {
    const now = performance.now();
    if (now - this.lookedAt < lookEveryMs) return 0;
    this.lookedAt = now;
    if (usedBytes() - this.before < leastGrown) return 0;
    this.collect();
    return Math.max(0, usedBytes() - this.before - besides - mostShare * heldBytes);
  }
}

function usedBytes(): number {
  return v8.getHeapStatistics().used_heap_size;
}
