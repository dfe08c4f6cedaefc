/**
 * The candidate closest to `name` by optimal string alignment distance (insert, delete, replace, swap of neighbours), ignoring case; null
 * when even the best needs more edits than a third of the name, rounded up (so one edit for names of up to three characters).
 */
export function nearestName(name: string, candidates: Iterable<string>): string | null {
  let best: string | null = null;
  let bestDistance = Math.ceil([...name].length / 3) + 1;
  for (const candidate of candidates) {
    const distance = editDistance([...name.toLowerCase()], [...candidate.toLowerCase()]);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

function editDistance(a: string[], b: string[]): number {
  let twoBack: number[] = [];
  let previous = b.map((_, j) => j + 1);
  previous.unshift(0);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(replaced, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, (twoBack[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    twoBack = previous;
    previous = row;
  }
  return previous[b.length] ?? 0;
}
