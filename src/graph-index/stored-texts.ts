import { type Steps } from '../text/steps.js';
import { inBlocks } from './in-blocks.js';
import { GrowableFloat64 } from './growable-array.js';
import { sharedFloat64, sharedUint8 } from './shared-arrays.js';

const blockBytes = 1_048_576;

/** Texts in UTF-8, one behind the other: text i lies from `textOffsets[i]` to `textOffsets[i + 1]`. */
export interface StoredTexts {
  textBytes: Uint8Array<SharedArrayBuffer>;
  textOffsets: Float64Array<SharedArrayBuffer>;
}

/** Collects texts in blocks, so that a million texts do not take a million objects. */
export class StoredTextsBuilder {
  private full: Buffer[] = [];
  private fullBytes = 0;
  private block = Buffer.alloc(0);
  private used = 0;
  private readonly ends = new GrowableFloat64();

  get bytes(): number {
    return this.fullBytes + this.used + 8 * this.ends.length;
  }

  /** Adds a text. Returns the number of the text. */
  add(text: string): number {
    this.makeRoom(Buffer.byteLength(text));
    this.used += this.block.write(text, this.used);
    return this.ends.push(this.fullBytes + this.used);
  }

  /** Adds a text in UTF-8. Returns the number of the text. */
  addBytes(text: Uint8Array): number {
    this.makeRoom(text.length);
    this.block.set(text, this.used);
    this.used += text.length;
    return this.ends.push(this.fullBytes + this.used);
  }

  *build(): Steps<StoredTexts> {
    const textBytes = sharedUint8(this.fullBytes + this.used);
    let at = 0;
    const blocks = [...this.full, this.block.subarray(0, this.used)].reverse();
    this.full = [];
    // Each copied block is removed from the list, so that its memory can be freed.
    for (let block = blocks.pop(); block; block = blocks.pop()) {
      textBytes.set(block, at);
      at += block.length;
      yield;
    }
    const textOffsets = sharedFloat64(this.ends.length + 1);
    const ends = this.ends.view();
    yield* inBlocks(ends.length, (from, to) => textOffsets.set(ends.subarray(from, to), 1 + from));
    return { textBytes, textOffsets };
  }

  private makeRoom(length: number): void {
    if (this.used + length <= this.block.length) return;
    this.full.push(this.block.subarray(0, this.used));
    this.fullBytes += this.used;
    this.block = Buffer.allocUnsafe(Math.max(blockBytes, length));
    this.used = 0;
  }
}

export function textAt(texts: StoredTexts, index: number): string {
  return textBytesAt(texts, index).toString('utf8');
}

export function textBytesAt({ textBytes, textOffsets }: StoredTexts, index: number): Buffer {
  const [start, end] = [textOffsets[index]!, textOffsets[index + 1]!];
  return Buffer.from(textBytes.buffer, textBytes.byteOffset + start, end - start);
}
