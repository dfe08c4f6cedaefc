import v8 from 'node:v8';
import vm from 'node:vm';

const megabyte = 1_048_576;
/** The growth of used memory since the last `settle` that makes a garbage collection worth its time. */
const leastGrown = 128 * megabyte;
/** Bytes that a query may use besides those that it counts, for its text, its plan and the current row. */
const besides = 24 * megabyte;
const mostShare = 1.3;
const lookEveryMs = 20;

/** Compares the memory that a query uses after a garbage collection with the bytes that it counts. One query runs at a time. */
export class HeldMemory {
  private readonly collect: () => void;
  private before = 0;
  private lookedAt = 0;

  constructor() {
    v8.setFlagsFromString('--expose-gc');
    this.collect = vm.runInNewContext('gc') as () => void;
    this.settle();
  }

  /** Measures the memory of the test itself. Call it while no query runs. */
  settle(): void {
    this.collect();
    this.before = usedBytes();
  }

  /**
   * The bytes in use above the count of the query, beyond its allowance: 30 % of the count and `besides`. Call it when the query pauses.
   */
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
