/** Number of items in a run that is sorted by insertion, before runs are merged. */
const itemsOfRun = 8;

/**
 * Sorts by merging. Equal items keep their order.
 * @param isDue whether the work should pause; the sort yields then
 */
export function* sortInSteps<T>(items: readonly T[], compare: (a: T, b: T) => number, isDue: () => boolean): Generator<null, T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += itemsOfRun) {
    const run: T[] = [];
    for (const item of items.slice(at, at + itemsOfRun)) {
      let place = run.length;
      while (place > 0 && compare(run[place - 1]!, item) > 0) {
        place -= 1;
        if (isDue()) yield null;
      }
      run.splice(place, 0, item);
      if (isDue()) yield null;
    }
    runs.push(run);
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) merged.push(yield* merge(runs[i]!, runs[i + 1] ?? [], compare, isDue));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge<T>(left: T[], right: T[], compare: (a: T, b: T) => number, isDue: () => boolean): Generator<null, T[]> {
  if (right.length === 0) return left;
  const merged: T[] = [];
  let [l, r] = [0, 0];
  while (l < left.length || r < right.length) {
    const takesLeft = r >= right.length || (l < left.length && compare(left[l]!, right[r]!) <= 0);
    merged.push(takesLeft ? left[l++]! : right[r++]!);
    if (isDue()) yield null;
  }
  return merged;
}
