/**
 * Counts the edits between two words, given as texts or as lists of characters. Insert, delete, replace and swap of neighbours each
 * count one (optimal string alignment, Damerau 1964). Returns `limit + 1` as soon as the distance is certainly above `limit`. Only
 * cells of the matrix near the diagonal are computed (Ukkonen 1985).
 */
export function editDistance(a: ArrayLike<string>, b: ArrayLike<string>, limit: number): number {
  const above = limit + 1;
  if (a.length - b.length > limit || b.length - a.length > limit) return above;
  const { start, end } = alikeEnds(a, b);
  const [height, width] = [a.length - start - end, b.length - start - end];
  const isSame = (i: number, j: number): boolean => a[start + i - 1] === b[start + j - 1];
  let beforeLast: number[] = [];
  let last: number[] = [];
  for (let j = 0; j <= width; j++) last.push(j);
  for (let i = 1; i <= height; i++) {
    const row = new Array<number>(width + 1).fill(above);
    row[0] = i;
    let best = i;
    for (let j = Math.max(1, i - limit); j <= smaller(width, i + limit); j++) {
      const same = isSame(i, j);
      let edits = smaller(last[j - 1]! + (same ? 0 : 1), smaller(last[j]!, row[j - 1]!) + 1);
      if (!same && i > 1 && j > 1 && isSame(i, j - 1) && isSame(i - 1, j)) edits = smaller(edits, beforeLast[j - 2]! + 1);
      row[j] = edits;
      if (edits < best) best = edits;
    }
    if (best > limit) return above;
    beforeLast = last;
    last = row;
  }
  return smaller(last[width]!, above);
}

/** The numbers of letters that two words share at their start and at their end. No edit concerns these letters. */
function alikeEnds(a: ArrayLike<string>, b: ArrayLike<string>): { start: number; end: number } {
  const most = smaller(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start++;
  let end = 0;
  while (end < most - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return { start, end };
}

function smaller(a: number, b: number): number {
  return a < b ? a : b;
}
