import { type Pace } from '../common/turns/pace.js';
import { addUp, type GroupedNumbers } from './grouped-numbers.js';
import { sharedUint32 } from './shared-arrays.js';
import { countOf, lengthAt, type SortedTexts } from './sorted-texts.js';
import { UnitDistance } from './unit-distance.js';

/*
 * Finds texts that contain a part, and texts that are spelled nearly like another text. Each text is cut into overlapping grams: of two
 * units if one of them is wide, as Chinese characters are, and of three units otherwise. Each end of a text counts as a unit. One edit
 * changes at most as many grams as a gram has units, and one gram more if it swaps neighbours. So of any k * 4 + 1 grams of a text (for
 * wide units k * 3 + 1), a text within k edits has at least one. The search looks up that many of the rarest grams. A text with so few
 * grams that one edit can change all of them may be missed.
 * Source: Gravano et al., Approximate String Joins in a Database (Almost) for Free, 2001.
 */

const [begin, finish] = [1, 2];
const firstWide = 0x2e80;
/**
 * The most texts that one search compares: the first for texts that contain a part, the second for texts that are spelled nearly alike.
 * Each takes some 10 ms.
 */
const [mostContaining, mostNear] = [20_000, 60_000];
const leastBuckets = 256;
/** The units of a text beyond this many have no grams. */
const longestText = 256;

/** For each hash of a gram, the texts that have a gram with this hash. Different grams may share a hash. */
export interface GramIndex {
  texts: SortedTexts;
  grams: GroupedNumbers;
}

/** @param isIn whether the text at a place gets grams; a text without grams is not found */
export async function buildGrams(texts: SortedTexts, isIn: (place: number) => boolean, pace: Pace): Promise<GroupedNumbers> {
  const count = countOf(texts);
  const buckets = 2 ** Math.ceil(Math.log2(Math.max(leastBuckets, count / 2)));
  const mask = buckets - 1;
  const offsets = sharedUint32(buckets + 1);
  for (let place = 0; place < count; place++) {
    if (pace.isDue) await pace.turn();
    if (isIn(place)) gramsAt(texts, place, hash => (offsets[(hash & mask) + 1]! += 1));
  }
  await addUp(offsets, pace);
  const next = new Uint32Array(offsets);
  const numbers = sharedUint32(offsets.at(-1)!);
  for (let place = 0; place < count; place++) {
    if (pace.isDue) await pace.turn();
    if (isIn(place)) gramsAt(texts, place, hash => (numbers[next[hash & mask]!++] = place));
  }
  return { offsets, numbers };
}

/** The places of the texts that contain `part`. Null if `part` is too short, or so common that too many texts would have to be compared. */
export async function textsContaining({ texts, grams }: GramIndex, part: string, pace: Pace): Promise<number[] | null> {
  const hashes: number[] = [];
  eachGram(unitsOf(part), hash => hashes.push(hash));
  const rarest = listsOf(grams, hashes)[0];
  if (!rarest || rarest.length > mostContaining) return null;
  const found: number[] = [];
  let last = -1;
  for (const place of rarest) {
    if (pace.isDue) await pace.turn();
    if (place !== last && isIn(texts, place, part)) found.push(place);
    last = place;
  }
  return found;
}

/** The texts that are at least one and at most `edits` edits away from `text`: their distances, by place. */
export async function textsNear({ texts, grams }: GramIndex, text: string, edits: number, pace: Pace): Promise<Map<number, number>> {
  const asked = unitsOf(text);
  const hashes: number[] = [];
  eachGram(Uint16Array.of(begin, ...asked, finish), hash => hashes.push(hash));
  const isWide = asked.every(unit => unit >= firstWide);
  const found = new Map<number, number>();
  const distance = new UnitDistance(asked, edits);
  let compared = 0;
  for (const list of listsOf(grams, hashes).slice(0, edits * (isWide ? 3 : 4) + 1)) {
    compared += list.length;
    if (compared > mostNear) break;
    for (const place of list) {
      if (pace.isDue) await pace.turn();
      const difference = lengthAt(texts, place) - asked.length;
      if (difference > edits || -difference > edits) continue;
      const away = distance.to(texts.units, texts.offsets[place]!, texts.offsets[place + 1]!);
      if (away > 0 && away <= edits) found.set(place, away);
    }
  }
  return found;
}

/** For each different gram, the places of the texts that have it; the shortest list first. */
function listsOf({ offsets, numbers }: GroupedNumbers, hashes: number[]): Uint32Array[] {
  const mask = offsets.length - 2;
  const buckets = [...new Set(hashes.map(hash => hash & mask))];
  return buckets.map(bucket => numbers.subarray(offsets[bucket], offsets[bucket + 1])).sort((a, b) => a.length - b.length);
}

function unitsOf(text: string): Uint16Array {
  return Uint16Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
}

function isIn({ units, offsets }: SortedTexts, place: number, part: string): boolean {
  const last = offsets[place + 1]! - part.length;
  const first = part.charCodeAt(0);
  for (let start = offsets[place]!; start <= last; start++) {
    if (units[start] !== first) continue;
    let i = 1;
    while (i < part.length && units[start + i] === part.charCodeAt(i)) i++;
    if (i === part.length) return true;
  }
  return false;
}

const padded = new Uint16Array(longestText + 2);

function gramsAt({ units, offsets }: SortedTexts, place: number, visit: (hash: number) => void): void {
  const [start, length] = [offsets[place]!, Math.min(longestText, lengthAt({ units, offsets }, place))];
  padded[0] = begin;
  for (let i = 0; i < length; i++) padded[i + 1] = units[start + i]!;
  padded[length + 1] = finish;
  eachGram(padded, visit, length + 2);
}

function eachGram(units: Uint16Array, visit: (hash: number) => void, length = units.length): void {
  for (let i = 0; i + 1 < length; i++) {
    const [a, b] = [units[i]!, units[i + 1]!];
    if (a >= firstWide || b >= firstWide) visit(hashOf(a, b, 0));
    else if (i + 2 < length) visit(hashOf(a, b, units[i + 2]!));
  }
}

function hashOf(a: number, b: number, c: number): number {
  let hash = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
