import { type Pace } from '../common/turns/pace.js';

const runLength = 4_096;

/** Sorts texts by their UTF-16 units and yields the event loop: it sorts short runs, then merges them pair by pair. */
export async function sortInTurns(texts: string[], pace: Pace): Promise<string[]> {
  let runs: string[][] = [];
  for (let from = 0; from < texts.length; from += runLength) {
    // Sorting without a comparison function is several times as fast.
    runs.push(texts.slice(from, from + runLength).sort());
    if (pace.isOverdue) await pace.turn();
  }
  while (runs.length > 1) {
    const merged: string[][] = [];
    for (let i = 0; i < runs.length; i += 2) merged.push(await merge(runs[i] ?? [], runs[i + 1] ?? [], pace));
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge(a: string[], b: string[], pace: Pace): Promise<string[]> {
  const merged: string[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (pace.isDue) await pace.turn();
    const [left, right] = [a[i], b[j]];
    if (right === undefined || (left !== undefined && left <= right)) {
      merged.push(left ?? '');
      i++;
    } else {
      merged.push(right);
      j++;
    }
  }
  return merged;
}
