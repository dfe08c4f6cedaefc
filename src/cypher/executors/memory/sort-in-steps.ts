/** Two lists of a hundred thousand items take milliseconds to compare. */
const itemsAtOnce = 32;

/** Sorts by merging, and yields where the work may pause. Equal items keep their order. */
export function* sortInSteps<T>(items: readonly T[], compare: (a: T, b: T) => number): Generator<null, T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += itemsAtOnce) {
    runs.push(items.slice(at, at + itemsAtOnce).sort(compare));
    yield null;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) merged.push(yield* merge(runs[i]!, runs[i + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge<T>(left: T[], right: T[], compare: (a: T, b: T) => number): Generator<null, T[]> {
  if (right.length === 0) return left;
  const merged: T[] = [];
  let [l, r] = [0, 0];
  while (l < left.length || r < right.length) {
    if (merged.length % itemsAtOnce === itemsAtOnce - 1) yield null;
    const takesLeft = r >= right.length || (l < left.length && compare(left[l]!, right[r]!) <= 0);
    merged.push(takesLeft ? left[l++]! : right[r++]!);
  }
  return merged;
}
