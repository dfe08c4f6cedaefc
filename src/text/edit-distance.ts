/**
 * Edits between two words, given as texts or as lists of characters: insert, delete, replace and swap of neighbours each count one
 * (optimal string alignment, Damerau 1964). Returns `limit + 1` as soon as the distance is certainly above `limit`; only cells that near
 * the diagonal are looked at (Ukkonen 1985).
 */
export function editDistance(a: ArrayLike<string>, b: ArrayLike<string>, limit: number): number {
  const above = limit + 1;
  if (Math.abs(a.length - b.length) > limit) return above;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = new Array<number>(b.length + 1).fill(above);
    row[0] = i;
    let best = i;
    const end = Math.min(b.length, i + limit);
    for (let j = Math.max(1, i - limit); j <= end; j++) {
      const same = a[i - 1] === b[j - 1];
      let edits = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) edits = Math.min(edits, beforeLast[j - 2]! + 1);
      row[j] = edits;
      best = Math.min(best, edits);
    }
    if (best > limit) return above;
    beforeLast = last;
    last = row;
  }
  return Math.min(last[b.length]!, above);
}
