import { type Pace } from '../common/turns/pace.js';
import { sharedUint16, sharedUint32 } from './shared-arrays.js';
import { sortInTurns } from './sort-in-turns.js';
import { type TermNumbers } from './term-numbers.js';

/** Different texts in the order of their UTF-16 units, one behind the other: text i lies from `offsets[i]` to `offsets[i + 1]`. */
export interface SortedTexts {
  units: Uint16Array<SharedArrayBuffer>;
  offsets: Uint32Array<SharedArrayBuffer>;
}

/** @returns the texts in order, and the place of each by the number that it had */
export async function sortTexts(numbers: TermNumbers, pace: Pace): Promise<{ texts: SortedTexts; placeOf: Uint32Array }> {
  const sorted = await sortInTurns(numbers.texts, pace);
  const placeOf = new Uint32Array(sorted.length);
  const offsets = sharedUint32(sorted.length + 1);
  let length = 0;
  for (const [place, text] of sorted.entries()) {
    if (pace.isDue) await pace.turn();
    placeOf[numbers.get(text)!] = place;
    length += text.length;
    offsets[place + 1] = length;
  }
  const units = sharedUint16(length);
  let at = 0;
  for (const text of sorted) {
    if (pace.isDue) await pace.turn();
    for (let i = 0; i < text.length; i++) units[at++] = text.charCodeAt(i);
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

/** The place of a text, or -1. */
export function placeOfText(texts: SortedTexts, text: string): number {
  const place = firstFrom(texts, text, false);
  return place < countOf(texts) && lengthAt(texts, place) === text.length && compareAt(texts, place, text) === 0 ? place : -1;
}

/** The texts that begin like this one, as the first place and the one behind the last. */
export function rangeOfPrefix(texts: SortedTexts, prefix: string): [number, number] {
  return [firstFrom(texts, prefix, false), firstFrom(texts, prefix, true)];
}

/** The first place whose text is not before `text`; or, `behind`, the first one behind all texts that begin like it. */
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

/** Whether the text at a place is before `text` (negative), begins like it (0), or is behind it. */
function compareAt({ units, offsets }: SortedTexts, place: number, text: string): number {
  const [start, end] = [offsets[place]!, offsets[place + 1]!];
  for (let i = 0; i < text.length; i++) {
    if (start + i === end) return -1;
    const difference = units[start + i]! - text.charCodeAt(i);
    if (difference !== 0) return difference;
  }
  return 0;
}
