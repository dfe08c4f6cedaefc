/**
 * Counts the edits between two words, given as texts or as lists of characters. Insert, delete, replace and swap of neighbours each
 * count one (optimal string alignment, Damerau 1964). Returns `limit + 1` as soon as the distance is certainly above `limit`; only
 * cells that near the diagonal are computed (Ukkonen 1985).
 */
export function editDistance(a: ArrayLike<string>, b: ArrayLike<string>, limit: number): number {
  const above = limit + 1;
  const [height, width] = [a.length, b.length];
  if (height - width > limit || width - height > limit) return above;
  let beforeLast: number[] = [];
  let last: number[] = [];
  for (let j = 0; j <= width; j++) last.push(j);
  for (let i = 1; i <= height; i++) {
    const row: number[] = [i];
    let best = i;
    for (let j = 1; j <= width; j++) {
      let edits = above;
      if (j >= i - limit && j <= i + limit) {
        const same = a[i - 1] === b[j - 1];
        edits = smaller(last[j - 1]! + (same ? 0 : 1), smaller(last[j]!, row[j - 1]!) + 1);
        if (!same && i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) edits = smaller(edits, beforeLast[j - 2]! + 1);
      }
      row.push(edits);
      if (edits < best) best = edits;
    }
    if (best > limit) return above;
    beforeLast = last;
    last = row;
  }
  return smaller(last[width]!, above);
}

function smaller(a: number, b: number): number {
  return a < b ? a : b;
}
