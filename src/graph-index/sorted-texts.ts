import { type Pace } from '../common/turns/pace.js';
import { sharedUint16, sharedUint32 } from './shared-arrays.js';
import { sortedOrder } from './sort-texts.js';
import { type TextNumbers } from './text-numbers.js';

/** Different texts in the order of their UTF-16 units, one after the other. Text i begins at `offsets[i]` and ends at `offsets[i + 1]`. */
export interface SortedTexts {
  units: Uint16Array<SharedArrayBuffer>;
  offsets: Uint32Array<SharedArrayBuffer>;
}

/** Sorts the texts. @returns the texts in order, and for each number of a text its place in this order */
export async function sortTexts(numbers: TextNumbers, pace: Pace): Promise<{ texts: SortedTexts; placeOf: Uint32Array }> {
  const from = await numbers.joined(pace);
  const order = await sortedOrder(from, numbers.size, pace);
  const placeOf = new Uint32Array(order.length);
  const [units, offsets] = [sharedUint16(numbers.length), sharedUint32(order.length + 1)];
  for (let place = 0, at = 0; place < order.length; place++) {
    if (pace.isDue) await pace.turn();
    const number = order[place]!;
    placeOf[number] = place;
    for (let i = from.offsets[number]!; i < from.offsets[number + 1]!; i++) units[at++] = from.units[i]!;
    offsets[place + 1] = at;
  }
  return { texts: { units, offsets }, placeOf };
}

export function countOf({ offsets }: SortedTexts): number {
  return offsets.length - 1;
}

export function lengthAt({ offsets }: SortedTexts, place: number): number {
  return offsets[place + 1]! - offsets[place]!;
}

export function sortedTextAt({ units, offsets }: SortedTexts, place: number): string {
  return String.fromCharCode(...units.subarray(offsets[place], offsets[place + 1]));
}

/** The place of a text in the order; -1 if the text is not there. */
export function placeOfText(texts: SortedTexts, text: string): number {
  const place = firstFrom(texts, text, false);
  return place < countOf(texts) && lengthAt(texts, place) === text.length && compareAt(texts, place, text) === 0 ? place : -1;
}

/** The range of texts that begin with `prefix`: the place of the first, and the place behind the last. */
export function rangeOfPrefix(texts: SortedTexts, prefix: string): [number, number] {
  return [firstFrom(texts, prefix, false), firstFrom(texts, prefix, true)];
}

/** The first place whose text is not less than `text`. With `behind`, the first place after all texts that begin with `text`. */
function firstFrom(texts: SortedTexts, text: string, behind: boolean): number {
  let [low, high] = [0, countOf(texts)];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = compareAt(texts, middle, text);
    if (order < 0 || (behind && order === 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Compares the text at a place with `text`: negative if it is less, 0 if it begins with `text`, positive if it is greater. */
function compareAt({ units, offsets }: SortedTexts, place: number, text: string): number {
  const [start, end] = [offsets[place]!, offsets[place + 1]!];
  for (let i = 0; i < text.length; i++) {
    if (start + i === end) return -1;
    const difference = units[start + i]! - text.charCodeAt(i);
    if (difference !== 0) return difference;
  }
  return 0;
}
