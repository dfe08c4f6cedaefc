/**
 * The candidate a reader most probably meant, or null when none is near: at most a third of the letters (at least one, at
 * most three) may differ. Distance is optimal string alignment, which counts a swap of two neighbours as one (Damerau 1964).
 */
export function nearestName(written: string, candidates: Iterable<string>): string | null {
  const letters = lettersOf(written);
  let best: string | null = null;
  let bestDistance = Math.min(3, Math.max(1, Math.floor(letters.length / 3))) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(letters, lettersOf(candidate), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

function lettersOf(name: string): string[] {
  return [...name.slice(0, 128).toLowerCase()].slice(0, 64);
}

/** The distance where it is below `limit`, else `limit`: only cells that near the diagonal can be (Ukkonen 1985). */
function editDistance(a: readonly string[], b: readonly string[], limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = new Array<number>(b.length + 1).fill(limit);
    row[0] = i;
    const last = Math.min(b.length, i + limit);
    for (let j = Math.max(1, i - limit); j <= last; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + change);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, beforePrevious[j - 2]! + 1);
      row[j] = cost;
    }
    beforePrevious = previous;
    previous = row;
  }
  return Math.min(previous[b.length]!, limit);
}
