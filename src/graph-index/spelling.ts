/** Words shorter than this are too easily another word to be corrected. */
const SHORTEST_CORRECTED = 4;

/** How many edits a word of this length may be away from what was meant: none, 1, or 2 from eight letters on. */
export function allowedEdits(length: number): 0 | 1 | 2 {
  if (length < SHORTEST_CORRECTED) return 0;
  return length < 8 ? 1 : 2;
}

/** One bit for each letter (others share six bits): one edit changes at most two bits, so masks rule most words out. */
export function letterMask(word: string): number {
  let mask = 0;
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i) - 97;
    mask |= 1 << (code >= 0 && code < 26 ? code : 26 + (word.charCodeAt(i) % 6));
  }
  return mask >>> 0;
}

function countBits(value: number): number {
  let v = value - ((value >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return (((v + (v >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/** False only if the words are certainly more than `edits` apart. */
export function mayBeWithin(maskA: number, maskB: number, edits: number): boolean {
  return countBits((maskA ^ maskB) >>> 0) <= 2 * edits;
}

/**
 * Edits between two words: insert, delete, replace, swap of neighbours each count one (optimal string alignment).
 * Returns `limit + 1` as soon as the distance is certainly above `limit`.
 */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let best = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a.charCodeAt(i - 1) === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1)) {
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(cost);
      best = Math.min(best, cost);
    }
    if (best > limit) return limit + 1;
    beforeLast = last;
    last = row;
  }
  return Math.min(last[b.length] ?? 0, limit + 1);
}
