/** A count for each place of one node of a chain. A place that is not listed has count 0. */
export interface Counted {
  /** The listed places, each once: the first `size` entries. */
  places: Uint32Array;
  size: number;
  counts: Float64Array;
}

const bytesOfPlace = 12;
const mostKeptBytes = 33_554_432;
/** Emptied arrays for the next query of this thread: new arrays of a megabyte cost more than a short query, mostly to collect them. */
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
 * Returns arrays that nobody reads any more to the pool. A query that failed must not return its arrays: their list may lack places that
 * have a count.
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
