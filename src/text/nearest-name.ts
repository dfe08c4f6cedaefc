import { editDistance } from './edit-distance.js';

/** Number of first letters of a name that are compared, because a name may be a megabyte long. */
const compared = 64;
/** Maximum candidates that `nearestName` compares: a graph may have tens of thousands of names. */
const mostCompared = 4_000;
/** Maximum candidates that `nearestFirst` compares. It counts all edits, which takes 50 µs for two names of 64 letters. */
const mostRanked = 200;
/** Candidates with at least this share of different letters rank as equally unlike. */
const unlike = 0.75;

/**
 * The candidate that was most probably meant, or null if no candidate is near. At most a third of the letters of `written` may differ,
 * but at least one letter and at most three. Only the first 4,000 candidates are compared.
 */
export function nearestName(written: string, candidates: Iterable<string>): string | null {
  const letters = lettersOf(written);
  const allowed = Math.min(3, Math.max(1, Math.floor(letters.length / 3)));
  const near = ranked(letters, upTo(mostCompared, candidates), allowed).find(({ edits }) => edits <= allowed);
  return near?.name ?? null;
}

/**
 * All candidates: first the similar ones, the most similar at the front, then the others in their given order. Only the first 200
 * candidates are compared.
 */
export function nearestFirst(written: string, candidates: readonly string[]): string[] {
  const near = ranked(lettersOf(written), candidates.slice(0, mostRanked), compared).map(({ name }) => name);
  return [...near, ...candidates.slice(mostRanked)];
}

/**
 * Ranks candidates by the share of letters that differ, so that `name` is nearer to `customer_name` than to `city`. Edits are counted
 * up to `limit` + 1.
 */
function ranked(letters: string[], candidates: Iterable<string>, limit: number): { name: string; edits: number }[] {
  return Array.from(candidates, name => {
    const other = lettersOf(name);
    const edits = editDistance(letters, other, limit);
    return { name, edits, share: Math.min(unlike, edits / Math.max(letters.length, other.length, 1)) };
  }).sort((a, b) => a.share - b.share);
}

function* upTo<T>(most: number, items: Iterable<T>): Iterable<T> {
  let count = 0;
  for (const item of items) {
    if (++count > most) return;
    yield item;
  }
}

function lettersOf(name: string): string[] {
  return [...name.slice(0, 2 * compared).toLowerCase()].slice(0, compared);
}
