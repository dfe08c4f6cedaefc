import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type SharedPart } from './shared-parts.js';

/**
 * The copies of parts that this thread has been given. Shared memory is freed when no thread has a copy of the part any more, which is
 * when V8 has collected all of them.
 */
export class PartCopies {
  private readonly buffers = new FinalizationRegistry<{ id: string; left: number }>(copy => {
    copy.left -= 1;
    if (copy.left === 0) this.onFreed(copy.id);
  });

  /** @param onFreed is told once for each copy that was watched */
  constructor(private readonly onFreed: (id: string) => void) {}

  /** Each array is watched: who reads a part may have kept only some of them. */
  watch({ id, record }: SharedPart): void {
    const arrays = Object.values(record).filter(value => ArrayBuffer.isView(value));
    const buffers = new Set(arrays.map(({ buffer }) => buffer));
    const copy = { id, left: buffers.size };
    for (const buffer of buffers) this.buffers.register(buffer, copy);
  }
}

let collect: (() => void) | null = null;

/** V8 does not count shared memory, so it would not collect a dropped part for its size. Takes some 10 to 30 ms. */
export function collectGarbage(): void {
  if (!collect) {
    v8.setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}
