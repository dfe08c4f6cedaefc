import { type Steps } from '../text/steps.js';

/**
 * Items in a block: `blockLength` for work on numbers, `fewAtOnce` for work on objects and texts. Most work on a block takes some
 * milliseconds.
 */
const blockLength = 32_768;
export const fewAtOnce = 2_048;

/**
 * Calls `work` for one block after the other, and yields after each block. The loop over the items is in `work`, because V8 optimizes
 * functions that are called often, but a loop inside a generator stays slow.
 */
export function* inBlocks(length: number, work: (from: number, to: number) => void, most = blockLength): Steps<void> {
  for (let from = 0; from < length; from += most) {
    work(from, Math.min(length, from + most));
    yield;
  }
}

/** Visits the items of a list in blocks. */
export function* eachOf<T>(list: readonly T[], visit: (item: T, place: number) => void): Steps<void> {
  const visitBlock = (from: number, to: number): void => {
    for (let i = from; i < to; i++) visit(list[i]!, i);
  };
  yield* inBlocks(list.length, visitBlock, fewAtOnce);
}

/** Maps the items of a list in blocks. */
export function* mapped<T, R>(list: readonly T[], map: (item: T, place: number) => R): Steps<R[]> {
  const results: R[] = [];
  yield* eachOf(list, (item, place) => void results.push(map(item, place)));
  return results;
}
