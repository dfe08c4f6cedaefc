import { GrowableFloat64 } from './growable-array.js';

const blockBytes = 1_048_576;

/** Texts in UTF-8, one behind the other in blocks, so that a million of them are no million objects. */
export class TextStore {
  private readonly blocks: Buffer[] = [];
  private used = blockBytes;
  /** The block × 2^32 + the offset in it. A text that is larger than a block has one of its own. */
  private readonly starts = new GrowableFloat64();
  private readonly lengths = new GrowableFloat64();
  bytes = 0;

  /** Returns the number of the text. */
  add(text: string): number {
    const length = Buffer.byteLength(text);
    if (this.used + length > blockBytes) {
      this.blocks.push(Buffer.allocUnsafe(Math.max(blockBytes, length)));
      this.used = 0;
      this.bytes += Math.max(blockBytes, length);
    }
    this.blocks.at(-1)!.write(text, this.used);
    this.starts.push((this.blocks.length - 1) * 2 ** 32 + this.used);
    this.used += length;
    this.bytes += 16;
    return this.lengths.push(length);
  }

  get(index: number): string {
    const start = this.starts.get(index);
    const block = Math.floor(start / 2 ** 32);
    const offset = start - block * 2 ** 32;
    return this.blocks[block]!.toString('utf8', offset, offset + this.lengths.get(index));
  }
}
