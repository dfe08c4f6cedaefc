/** Random numbers in [0, 1) from a seed: mulberry32, https://github.com/bryc/code/blob/master/jshash/PRNGs.md */
export function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** `count` items chosen by the seed, in their original order. All items if there are fewer. */
export function sample<T>(items: readonly T[], count: number, seed: number): T[] {
  const random = mulberry32(seed);
  const places = items.map((_, index) => index);
  for (let index = places.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1));
    [places[index], places[other]] = [places[other]!, places[index]!];
  }
  return places
    .slice(0, count)
    .sort((a, b) => a - b)
    .map(place => items[place]!);
}

/** Runs the work for all items, at most `width` at the same time. */
export async function inParallel<T>(width: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
