/**
 * A count for each node that may stand at one position of a chain. Nodes are given by their places (indexes). A node that is not listed has
 * count 0.
 */
export interface Counted {
  /** The places of the listed nodes, each once: the first `size` entries. */
  places: Uint32Array;
  size: number;
  counts: Float64Array;
}

/** Bytes of a node in a `Counted`: its place and its count. */
export const bytesOfPlace = 12;
const mostKeptBytes = 33_554_432;
/**
 * Cleared arrays for the next query of this thread. New arrays of a megabyte cost more than a short query, mostly by garbage collection.
 */
const kept: Counted[] = [];
let keptBytes = 0;

/** An empty `Counted` with room for at least `places` places. */
export function takeCounted(places: number): Counted {
  const at = kept.findIndex(({ counts }) => counts.length >= places && counts.length <= 2 * places);
  if (at === -1) return { places: new Uint32Array(places), size: 0, counts: new Float64Array(places) };
  const [counted] = kept.splice(at, 1);
  keptBytes -= counted!.counts.length * bytesOfPlace;
  return counted!;
}

/**
 * Gives arrays back to the pool `kept` when they are no longer read. A query that failed must not return its arrays: `places` may lack a
 * node whose count is above 0, and that count would not be cleared.
 */
export function giveCounted(counted: Counted): void {
  const { places, size, counts } = counted;
  const bytes = counts.length * bytesOfPlace;
  if (keptBytes + bytes > mostKeptBytes) return;
  if (size * 16 < counts.length) for (let i = 0; i < size; i++) counts[places[i]!] = 0;
  else counts.fill(0);
  counted.size = 0;
  kept.push(counted);
  keptBytes += bytes;
}

/** A new `Counted` with the same places, each with count 1. */
export function onesOf({ places, size, counts }: Counted): Counted {
  const ones = takeCounted(counts.length);
  ones.places.set(places.subarray(0, size));
  ones.size = size;
  for (let i = 0; i < size; i++) ones.counts[places[i]!] = 1;
  return ones;
}
