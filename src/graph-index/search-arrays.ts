import { type SharedArray } from './shared-arrays.js';

type Uint8s = Extract<SharedArray, Uint8Array>;
type Uint16s = Extract<SharedArray, Uint16Array>;
type Uint32s = Extract<SharedArray, Uint32Array>;
type Float64s = Extract<SharedArray, Float64Array>;

/** The parts of a node in which a term occurs, as bits in the low end of a posting. */
export const fieldFlags = { display: 1, key: 2, text: 4 } as const;
export const fieldBits = 3;

/**
 * A search index as a flat record. Nodes are numbered 0…n-1 ("ordinals") in the order they came. Three tables hold texts in order: the
 * names, which are displays and keys without punctuation; the terms, which are words and pairs of CJK characters; and names in pinyin.
 */
export interface SearchArrays {
  ids: Float64s;
  /** The sets of labels that nodes have, with the label of the key first. */
  labelSets: string[][];
  /** The number of each node's set. */
  labelOf: Uint32s;
  /** The name of each node's display. */
  displayOf: Uint32s;
  /** The terms of each display, at most 255. */
  displayLength: Uint8s;
  averageLength: number;

  nameUnits: Uint16s;
  nameOffsets: Uint32s;
  /** The nodes of name i are nameNodes[nameNodeOffsets[i] …], each `ordinal * 2`, and 1 more if the name is its key. Displays come first. */
  nameNodeOffsets: Uint32s;
  nameNodes: Uint32s;
  /** See gram-index.ts. Only displays have grams. */
  nameGramOffsets: Uint32s;
  nameGrams: Uint32s;

  termUnits: Uint16s;
  termOffsets: Uint32s;
  /** The postings of term i are postings[postingOffsets[i] …], each `ordinal << fieldBits | fields`, by ordinal. */
  postingOffsets: Uint32s;
  postings: Uint32s;
  /** Only words with letters have grams. */
  wordGramOffsets: Uint32s;
  wordGrams: Uint32s;

  pinyinUnits: Uint16s;
  pinyinOffsets: Uint32s;
  /** The names of reading i are pinyinNames[pinyinNameOffsets[i] …], each `name * 2`, and 1 more for initials. */
  pinyinNameOffsets: Uint32s;
  pinyinNames: Uint32s;
}
