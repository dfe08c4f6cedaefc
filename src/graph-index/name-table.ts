import { type Pace } from '../common/turns/pace.js';
import { hashName } from './fnv.js';

/** Finds nodes by their whole name. An open hash over the two name hashes, with a chain through the nodes of a bucket. */
export class NameTable {
  private readonly heads: Int32Array;
  private readonly next: Int32Array;
  private readonly mask: number;

  private constructor(private readonly hashes: [Uint32Array, Uint32Array]) {
    const count = hashes[0].length;
    const size = 2 ** Math.ceil(Math.log2(Math.max(count, 8) * 1.5));
    this.mask = size - 1;
    this.heads = new Int32Array(size).fill(-1);
    this.next = new Int32Array(count).fill(-1);
  }

  static async build(hashes: [Uint32Array, Uint32Array], pace: Pace): Promise<NameTable> {
    const table = new NameTable(hashes);
    // Runs backwards, so that a chain lists nodes in their order.
    for (let i = hashes[0].length - 1; i >= 0; i--) {
      if (pace.isDue) await pace.turn();
      const bucket = (hashes[0][i] ?? 0) & table.mask;
      table.next[i] = table.heads[bucket] ?? -1;
      table.heads[bucket] = i;
    }
    return table;
  }

  /** Returns the ordinals of at most `limit` nodes with exactly this (normalised, compact) name. */
  find(name: string, limit: number): number[] {
    const [a, b] = hashName(name);
    const found: number[] = [];
    for (let i = this.heads[a & this.mask] ?? -1; i !== -1 && found.length < limit; i = this.next[i] ?? -1) {
      if (this.hashes[0][i] === a && this.hashes[1][i] === b) found.push(i);
    }
    return found;
  }

  get bytes(): number {
    return this.heads.byteLength + this.next.byteLength;
  }
}
