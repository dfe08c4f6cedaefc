import { type Pace } from '../common/turns/pace.js';
import { sharedUint32 } from './shared-arrays.js';

/** Lists of numbers, one behind the other: list i lies from `offsets[i]` to `offsets[i + 1]`. */
export interface GroupedNumbers {
  offsets: Uint32Array<SharedArrayBuffer>;
  numbers: Uint32Array<SharedArrayBuffer>;
}

/**
 * Groups `count` pairs by their key, and keeps the order of pairs with the same key (counting sort).
 * @param keyAt the key of a pair, less than `keys`
 */
export async function groupNumbers(
  keys: number,
  count: number,
  keyAt: (pair: number) => number,
  numberAt: (pair: number) => number,
  pace: Pace,
): Promise<GroupedNumbers> {
  const offsets = sharedUint32(keys + 1);
  for (let pair = 0; pair < count; pair++) {
    if (pace.isDue) await pace.turn();
    offsets[keyAt(pair) + 1]! += 1;
  }
  await addUp(offsets, pace);
  const next = new Uint32Array(offsets);
  const numbers = sharedUint32(count);
  for (let pair = 0; pair < count; pair++) {
    if (pace.isDue) await pace.turn();
    numbers[next[keyAt(pair)]!++] = numberAt(pair);
  }
  return { offsets, numbers };
}

/** Turns the lengths of lists into the offsets at which the lists begin: on entry item i + 1 holds the length of list i. */
export async function addUp(offsets: Uint32Array, pace: Pace): Promise<void> {
  for (let i = 1; i < offsets.length; i++) {
    if (pace.isDue) await pace.turn();
    offsets[i]! += offsets[i - 1]!;
  }
}
