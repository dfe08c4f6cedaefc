import { Pace } from '../common/turns/pace.js';
import { BlockedUint32, GrowableFloat64, GrowableUint32 } from './growable-array.js';
import { hashName } from './fnv.js';
import { fieldFlags, fieldBits, type IndexParts } from './index-format.js';
import { SearchIndex } from './search-index.js';
import { TermNumbers } from './term-numbers.js';
import { compactText, normalizeText, termsOfText } from './tokenize-text.js';

/** One node to index. `texts` are its other string properties. */
export interface IndexedNode {
  id: number;
  /** The label of the key first, then the others in an order that equal sets share. */
  labels: string[];
  key: string;
  display: string;
  texts: string[];
}

/** The searched length of a property's text, in characters. */
export const longestText = 1000;

/** Collects nodes one by one and builds a {@link SearchIndex}. It takes about 15 bytes a node, 4 a posting, and the terms themselves. */
export class SearchIndexBuilder {
  private readonly terms = new TermNumbers();
  private readonly lastNode = new BlockedUint32();
  private readonly lastPosting = new BlockedUint32();
  private readonly postingTerm = new BlockedUint32();
  private readonly postingValue = new BlockedUint32();
  private readonly ids = new GrowableFloat64();
  private readonly labelOf = new GrowableUint32();
  private readonly displayLength = new GrowableUint32();
  private readonly firstTerm = new GrowableUint32();
  private readonly hashes = [new GrowableUint32(), new GrowableUint32(), new GrowableUint32(), new GrowableUint32()] as const;
  private readonly labels: string[][] = [];
  private readonly labelIds = new Map<string, number>();

  add(node: IndexedNode): void {
    const ordinal = this.ids.push(node.id);
    this.labelOf.push(this.labelId(node.labels));
    const display = normalizeText(node.display);
    const key = normalizeText(node.key);
    const displayTerms = termsOfText(display);
    this.displayLength.push(displayTerms.length);
    this.firstTerm.push(this.addTerms(ordinal, displayTerms, fieldFlags.display));
    this.addTerms(ordinal, termsOfText(key), fieldFlags.key);
    for (const text of node.texts) this.addTerms(ordinal, termsOfText(normalizeText(text.slice(0, longestText))), fieldFlags.text);
    const [displayA, displayB] = hashName(compactText(display));
    const [keyA, keyB] = hashName(compactText(key));
    [displayA, displayB, keyA, keyB].forEach((hash, i) => this.hashes[i]?.push(hash));
  }

  /** Estimated memory so far. Building the index takes about as much again for a moment. */
  get bytes(): number {
    return this.terms.size * 104 + this.postingTerm.length * 8 + this.ids.length * 36;
  }

  async build(pace = new Pace()): Promise<SearchIndex> {
    const terms = this.terms.texts;
    const offsets = new Uint32Array(terms.length + 1);
    for (let i = 0; i < this.postingTerm.length; i++) {
      if (pace.isDue) await pace.turn();
      const at = this.postingTerm.get(i) + 1;
      offsets[at] = (offsets[at] ?? 0) + 1;
    }
    for (let t = 0; t < terms.length; t++) {
      if (pace.isDue) await pace.turn();
      offsets[t + 1] = (offsets[t + 1] ?? 0) + (offsets[t] ?? 0);
    }
    const next = offsets.slice();
    const postings = new Uint32Array(this.postingTerm.length);
    for (let i = 0; i < this.postingTerm.length; i++) {
      if (pace.isDue) await pace.turn();
      const term = this.postingTerm.get(i);
      const at = next[term] ?? 0;
      postings[at] = this.postingValue.get(i);
      next[term] = at + 1;
    }
    const parts: IndexParts = {
      terms,
      termIds: this.terms,
      offsets,
      postings,
      ids: this.ids.toArray(),
      labels: this.labels,
      labelOf: this.labelOf.toArray(),
      displayLength: this.displayLength.toArray(),
      firstTerm: this.firstTerm.toArray(),
      displayHashes: [this.hashes[0].toArray(), this.hashes[1].toArray()],
      keyHashes: [this.hashes[2].toArray(), this.hashes[3].toArray()],
    };
    return SearchIndex.build(parts, pace);
  }

  private labelId(labels: string[]): number {
    const name = labels.length === 1 ? labels[0]! : JSON.stringify(labels);
    let id = this.labelIds.get(name);
    if (id === undefined) {
      id = this.labels.push(labels) - 1;
      this.labelIds.set(name, id);
    }
    return id;
  }

  /** Returns the first of the terms. It tells later whether a query begins like the display. */
  private addTerms(ordinal: number, texts: string[], field: number): number {
    let first = 0xffffffff;
    for (const text of texts) {
      let term = this.terms.get(text);
      if (term === undefined) {
        term = this.terms.add(text);
        this.lastNode.push(0xffffffff);
        this.lastPosting.push(0);
      }
      if (first === 0xffffffff) first = term;
      if (this.lastNode.get(term) === ordinal) {
        const at = this.lastPosting.get(term);
        this.postingValue.set(at, this.postingValue.get(at) | field);
        continue;
      }
      this.lastNode.set(term, ordinal);
      this.lastPosting.set(term, this.postingTerm.push(term));
      this.postingValue.push(((ordinal << fieldBits) | field) >>> 0);
    }
    return first;
  }
}
