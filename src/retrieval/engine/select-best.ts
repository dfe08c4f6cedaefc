/** The best `count` items, best first, in O(n log count): a page of hits out of up to a million candidates (binary heap). */
export function selectBest<T>(items: readonly T[], count: number, isBetter: (a: T, b: T) => boolean): T[] {
  if (items.length <= count * 4) return [...items].sort((a, b) => (isBetter(a, b) ? -1 : 1)).slice(0, count);
  // The root is the worst of those kept.
  const heap: T[] = [];
  const swap = (i: number, j: number): void => {
    const kept = heap[i] as T;
    heap[i] = heap[j] as T;
    heap[j] = kept;
  };
  const sink = (): void => {
    for (let i = 0; ;) {
      const left = 2 * i + 1;
      if (left >= heap.length) return;
      const right = left + 1;
      const worst = right < heap.length && isBetter(heap[left] as T, heap[right] as T) ? right : left;
      if (isBetter(heap[worst] as T, heap[i] as T)) return;
      swap(worst, i);
      i = worst;
    }
  };
  for (const item of items) {
    if (heap.length < count) {
      heap.push(item);
      for (let i = heap.length - 1; i > 0;) {
        const parent = (i - 1) >> 1;
        if (!isBetter(heap[parent] as T, heap[i] as T)) break;
        swap(parent, i);
        i = parent;
      }
    } else if (count > 0 && isBetter(item, heap[0] as T)) {
      heap[0] = item;
      sink();
    }
  }
  return heap.sort((a, b) => (isBetter(a, b) ? -1 : 1));
}
