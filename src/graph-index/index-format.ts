/** The parts of a node in which a term occurs, as bits in the low end of a posting. */
export const fieldFlags = { display: 1, key: 2, text: 4 } as const;
export const fieldBits = 3;

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
