import v8 from 'node:v8';
import { resourceLimits } from 'node:worker_threads';
import { WorkExceededError } from '../../cypher/executors/memory/work.js';

/**
 * The share of the heap's limit above which a query is ended. At the limit V8 ends the whole thread, and shortly below the limit it
 * collects garbage all the time.
 */
const mostShare = 0.85;
/**
 * A query is not ended if it holds less than both of these: a share of the heap's limit, and a number of bytes that is a quarter of what
 * one query may hold. Such a query is not what fills the heap.
 */
const leastShare = 0.05;
const leastBytes = 16_777_216;
const lookEveryMs = 20;
const nothing = { usedBytes: 0, heldBytes: 0 };

/** The number of bytes that a query holds, by its own count. */
export interface HeldBytes {
  readonly heldBytes: number;
}

export interface HeldQuery {
  /** Call it whenever the query pauses. @throws WorkExceededError if the query was chosen to make room */
  check(): void;
  end(): void;
}

export interface Heap {
  /** Size of the heap in bytes at which V8 would end the thread. */
  readonly limitBytes: number;
  /**
   * Begins to watch garbage collections. `usedAfterLast` returns the bytes in use after the last full collection; null if there was no full
   * collection since the previous call.
   */
  watch(): { usedAfterLast(): number | null; end(): void };
}

/**
 * Keeps the heap of a thread below its limit. Above 85 % of the limit, the query that holds the most bytes by its own count ends with a
 * 422, and the others go on. Garbage ends no query: what counts are the bytes in use after the last full collection, and the bytes that
 * queries have counted since then. After a query was ended, nothing counts until the next collection.
 */
export class HeapCeiling {
  private readonly running = new Map<HeldBytes, { isEnded: boolean }>();
  private watching: ReturnType<Heap['watch']> | null = null;
  private known: { usedBytes: number; heldBytes: number } | null = nothing;
  private lookedAt = -Infinity;

  constructor(
    private readonly heap: Heap = ownHeap,
    private readonly now = () => performance.now(),
  ) {}

  begin(query: HeldBytes): HeldQuery {
    const state = { isEnded: false };
    this.running.set(query, state);
    return {
      check: () => {
        this.look();
        if (state.isEnded) throw exceeded(query.heldBytes);
      },
      end: () => {
        this.running.delete(query);
        if (state.isEnded) this.known = null;
        if (this.running.size === 0) this.rest();
      },
    };
  }

  private look(): void {
    if (this.now() - this.lookedAt < lookEveryMs) return;
    this.lookedAt = this.now();
    const heldBytes = [...this.running.keys()].reduce((sum, query) => sum + query.heldBytes, 0);
    this.watching ??= this.heap.watch();
    const usedBytes = this.watching.usedAfterLast();
    if (usedBytes !== null) this.known = { usedBytes, heldBytes };
    if (this.known === null) return;
    const inUse = this.known.usedBytes + Math.max(0, heldBytes - this.known.heldBytes);
    if (inUse > mostShare * this.heap.limitBytes) this.endLargest();
  }

  /**
   * Chooses the query that holds the most, and ends it at its next `check`. Only one query is ended at a time, because its memory stays in
   * use until it has ended.
   */
  private endLargest(): void {
    const all = [...this.running];
    if (all.some(([, { isEnded }]) => isEnded)) return;
    const [[query, largest]] = all.sort(([a], [b]) => b.heldBytes - a.heldBytes) as [(typeof all)[number]];
    if (query.heldBytes >= Math.min(leastBytes, leastShare * this.heap.limitBytes)) largest.isEnded = true;
  }

  private rest(): void {
    this.watching?.end();
    this.watching = null;
    this.known = nothing;
  }
}

function exceeded(heldBytes: number): WorkExceededError {
  return new WorkExceededError(
    {
      zh: `同时进行的查询几乎用尽了检索线程的内存，其中此查询占用最多（${heldBytes} 字节）`,
      en: `the queries under way together hold nearly all memory of their thread, and this one the most of it (${heldBytes} bytes)`,
    },
    { held_bytes: heldBytes },
  );
}

const oldGenerationMb = resourceLimits.maxOldGenerationSizeMb;

/** The heap of this thread. Its limit covers objects that have survived collections; V8 counts the room for new objects separately. */
const ownHeap: Heap = {
  limitBytes: oldGenerationMb === undefined ? v8.getHeapStatistics().heap_size_limit : oldGenerationMb * 1024 * 1024,
  watch: () => {
    let profiler = new v8.GCProfiler();
    profiler.start();
    return {
      usedAfterLast: () => {
        const full = profiler.stop()?.statistics.findLast(({ gcType }) => gcType === 'MarkSweepCompact');
        profiler = new v8.GCProfiler();
        profiler.start();
        return full ? full.afterGC.heapStatistics.usedHeapSize : null;
      },
      end: () => void profiler.stop(),
    };
  },
};
