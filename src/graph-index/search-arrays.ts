import { type SharedArray } from './shared-arrays.js';

type Uint8s = Extract<SharedArray, Uint8Array>;
type Uint16s = Extract<SharedArray, Uint16Array>;
type Uint32s = Extract<SharedArray, Uint32Array>;
type Float64s = Extract<SharedArray, Float64Array>;

/** The parts of a node in which a term occurs, as bits in the low end of a posting. */
export const fieldFlags = { display: 1, key: 2, text: 4 } as const;
export const fieldBits = 3;

/**
 * A search index as a flat record. Nodes are numbered 0…n-1 ("ordinals") in the order in which they were added. Three tables hold sorted
 * texts: the names, which are displays and keys without punctuation; the terms, which are words and pairs of CJK characters; and the pinyin
 * readings of names.
 */
export interface SearchArrays {
  ids: Float64s;
  /** The sets of labels that nodes have, by number; each lists the key's label first. */
  labelSets: string[][];
  /** For each node, the number of its set of labels. */
  labelOf: Uint32s;
  /** For each node, the number of the name that is its display. */
  displayOf: Uint32s;
  /** For each node, the number of terms in its display, at most 255. */
  displayLength: Uint8s;
  averageLength: number;

  nameUnits: Uint16s;
  nameOffsets: Uint32s;
  /**
   * The nodes of name i are nameNodes[nameNodeOffsets[i] …], each as `ordinal * 2`, plus 1 if the name is the node's key. Nodes with the
   * name as display come first.
   */
  nameNodeOffsets: Uint32s;
  nameNodes: Uint32s;
  /** The grams of names, see gram-index.ts. Names that are only keys have no grams. */
  nameGramOffsets: Uint32s;
  nameGrams: Uint32s;

  termUnits: Uint16s;
  termOffsets: Uint32s;
  /** The postings of term i are postings[postingOffsets[i] …], each as `ordinal << fieldBits | fields`, in the order of ordinals. */
  postingOffsets: Uint32s;
  postings: Uint32s;
  /** The grams of terms, see gram-index.ts. Only words with letters have grams. */
  wordGramOffsets: Uint32s;
  wordGrams: Uint32s;

  pinyinUnits: Uint16s;
  pinyinOffsets: Uint32s;
  /** The names of reading i are pinyinNames[pinyinNameOffsets[i] …], each as `name * 2`, plus 1 if the reading is the name's initials. */
  pinyinNameOffsets: Uint32s;
  pinyinNames: Uint32s;
}
