import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type SharedPart } from './shared-parts.js';

/**
 * Watches the copies of parts that this thread has been given. Shared memory is freed only when V8 has collected the copies of all threads.
 */
export class PartCopies {
  private readonly buffers = new FinalizationRegistry<{ id: string; left: number }>(copy => {
    copy.left -= 1;
    if (copy.left === 0) this.onFreed(copy.id);
  });

  /** @param onFreed called once for each watched copy that V8 has collected */
  constructor(private readonly onFreed: (id: string) => void) {}

  /** Watches each array of a copy, because a user of the part may have kept only some of its arrays. */
  watch({ id, record }: SharedPart): void {
    const arrays = Object.values(record).filter(value => ArrayBuffer.isView(value));
    const buffers = new Set(arrays.map(({ buffer }) => buffer));
    const copy = { id, left: buffers.size };
    for (const buffer of buffers) this.buffers.register(buffer, copy);
  }
}

let collect: (() => void) | null = null;

/** Collects garbage. V8 does not count shared memory, so it would not collect a dropped part for its size. Takes some 10 to 30 ms. */
export function collectGarbage(): void {
  if (!collect) {
    v8.setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}
