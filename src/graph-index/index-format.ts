/** The parts of a node in which a term occurs, as bits in the low end of a posting. */
export const fieldFlags = { display: 1, key: 2, text: 4 } as const;
export const fieldBits = 3;

/** Two independent 32-bit FNV-1a hashes of a name. Together they distinguish a hundred million names without storing them. */
export function hashName(text: string): [number, number] {
  let a = 0x811c9dc5;
  let b = 0x050c5d1f;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ (code + i), 0x01000193);
  }
  return [a >>> 0, b >>> 0];
}

/** The arrays of a search index. Nodes are numbered 0…n-1 ("ordinals") in the order they came. */
export interface IndexParts {
  terms: string[];
  termIds: Pick<ReadonlyMap<string, number>, 'get'>;
  /** The postings of term t are postings[offsets[t] … offsets[t + 1]), each `ordinal << fieldBits | fields`. */
  offsets: Uint32Array;
  postings: Uint32Array;
  ids: Float64Array;
  /** The sets of labels that nodes have, with the label of the key first. */
  labels: string[][];
  labelOf: Uint32Array;
  displayLength: Uint32Array;
  firstTerm: Uint32Array;
  displayHashes: [Uint32Array, Uint32Array];
  keyHashes: [Uint32Array, Uint32Array];
}
