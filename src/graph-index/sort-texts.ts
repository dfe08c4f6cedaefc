import { type Pace } from '../common/turns/pace.js';

/** Fewer texts than this are sorted by insertion. */
const fewTexts = 12;

interface Texts {
  units: Uint16Array;
  offsets: Uint32Array;
}

/**
 * The numbers of the texts 0…count-1 in the order of their units. This is a quicksort that splits texts by one unit at a time and never
 * looks again at units that are known to be equal.
 * Source: Bentley and Sedgewick, Fast Algorithms for Sorting and Searching Strings, 1997.
 */
export async function sortedOrder({ units, offsets }: Texts, count: number, pace: Pace): Promise<Uint32Array> {
  const order = new Uint32Array(count).map((_, i) => i);
  /** Ranges that are still to be sorted, three items each: from, to, and the depth up to which the texts of the range are equal. */
  const open = [0, count, 0];
  while (open.length > 0) {
    if (pace.isDue) await pace.turn();
    const [from, to, depth] = open.splice(-3) as [number, number, number];
    if (to - from <= fewTexts) {
      insertEach(from, to, depth);
      continue;
    }
    const pivot = unitAt(order[(from + to) >>> 1]!, depth);
    let [less, at, greater] = [from, from, to];
    while (at < greater) {
      // Splitting a range of millions of texts takes long, so this loop yields to the event loop too.
      if (pace.isDue) await pace.turn();
      const unit = unitAt(order[at]!, depth);
      if (unit < pivot) swap(less++, at++);
      else if (unit > pivot) swap(at, --greater);
      else at++;
    }
    if (less - from > 1) open.push(from, less, depth);
    if (to - greater > 1) open.push(greater, to, depth);
    // Texts that end at this depth are equal, so they need no further sorting.
    if (pivot >= 0 && greater - less > 1) open.push(less, greater, depth + 1);
  }
  return order;

  /** The unit of a text at `depth`; -1 behind the end of the text. */
  function unitAt(text: number, depth: number): number {
    const at = offsets[text]! + depth;
    return at < offsets[text + 1]! ? units[at]! : -1;
  }

  function swap(i: number, j: number): void {
    const kept = order[i]!;
    order[i] = order[j]!;
    order[j] = kept;
  }

  function insertEach(from: number, to: number, depth: number): void {
    for (let i = from + 1; i < to; i++) {
      const text = order[i]!;
      let j = i;
      for (; j > from && isBefore(text, order[j - 1]!, depth); j--) order[j] = order[j - 1]!;
      order[j] = text;
    }
  }

  function isBefore(a: number, b: number, depth: number): boolean {
    for (let at = depth; ; at++) {
      const [unitA, unitB] = [unitAt(a, at), unitAt(b, at)];
      if (unitA !== unitB) return unitA < unitB;
      if (unitA < 0) return false;
    }
  }
}
