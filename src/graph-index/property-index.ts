import { hashText } from './fnv.js';
import { type Steps } from '../text/steps.js';
import { cellAt, type PropertyColumn } from './property-column.js';
import { sharedUint32 } from './shared-arrays.js';
import { textAt } from './stored-texts.js';

/** Finds the places of a column by value. A hash table of buckets, each with a chain through the places whose value falls into it. */
export interface PropertyIndex {
  /** For each bucket, its first place + 1; 0 for an empty bucket. The number of buckets is a power of two. */
  heads: Uint32Array<SharedArrayBuffer>;
  /** For each place, the next place + 1 in the same bucket; 0 at the end of the chain. */
  next: Uint32Array<SharedArrayBuffer>;
}

/** The values that an index can find: numbers of Cypher, by their nearest float, and strings. */
export type IndexedValue = number | string;

export function* buildPropertyIndex(column: PropertyColumn): Steps<PropertyIndex> {
  const count = column.codes.length;
  const heads = sharedUint32(2 ** Math.ceil(Math.log2(Math.max(8, count * 1.5))));
  const next = sharedUint32(count);
  const hashes = new Map<number, number | null>();
  // The loop runs backwards, so that each chain lists its places in ascending order.
  for (let place = count - 1; place >= 0; place--) {
    if ((place & 8_191) === 0) yield;
    const cell = cellAt(column, place);
    const hash = cell === undefined ? null : 'number' in cell ? hashOf(cell.number) : hashOfText(cell.text);
    if (hash === null) continue;
    const bucket = hash & (heads.length - 1);
    next[place] = heads[bucket]!;
    heads[bucket] = place + 1;
  }
  return { heads, next };

  function hashOfText(text: number): number | null {
    let hash = hashes.get(text);
    if (hash === undefined) {
      const value = JSON.parse(textAt(column, text)) as unknown;
      hash = typeof value === 'number' || typeof value === 'string' ? hashOf(value) : null;
      hashes.set(text, hash);
    }
    return hash;
  }
}

/**
 * The places whose value may equal `value`: all places that have it, and other places in the same bucket. Null if there are more than
 * `most`.
 */
export function placesWith({ heads, next }: PropertyIndex, value: IndexedValue, most: number): number[] | null {
  const places: number[] = [];
  for (let at = heads[hashOf(value) & (heads.length - 1)]!; at !== 0; at = next[at - 1]!) {
    if (places.length >= most) return null;
    places.push(at - 1);
  }
  return places;
}

const bits = new DataView(new ArrayBuffer(8));

function hashOf(value: IndexedValue): number {
  if (typeof value === 'string') return mixed(hashText(value));
  // Zero and minus zero are equal values, so they get the same hash.
  bits.setFloat64(0, value === 0 ? 0 : value);
  return mixed(bits.getUint32(0) ^ Math.imul(bits.getUint32(4), 0x9e3779b1));
}

function mixed(hash: number): number {
  const folded = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (folded ^ (folded >>> 13)) >>> 0;
}
