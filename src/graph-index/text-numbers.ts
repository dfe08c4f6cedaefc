import { type Pace } from '../common/turns/pace.js';
import { hashText } from './fnv.js';
import { GrowableUint32 } from './growable-array.js';

const tableCount = 256;
const firstSlots = 64;

const [blockBits, blockMask] = [20, 0xfffff];

/**
 * Numbers different texts in the order in which they come, without an object for each. Texts lie one behind the other as UTF-16 units, and
 * open hash tables find them. Blocks of units and many small tables grow one by one: those of millions would hold the event loop.
 */
export class TextNumbers {
  private readonly blocks: Uint16Array[] = [];
  private used = 0;
  private readonly ends = new GrowableUint32();
  private readonly hashes = new GrowableUint32();
  private readonly tables = Array.from({ length: tableCount }, () => ({ slots: new Uint32Array(firstSlots), used: 0 }));

  constructor() {
    this.ends.push(0);
  }

  get size(): number {
    return this.hashes.length;
  }

  /** The units of all texts. */
  get length(): number {
    return this.used;
  }

  /** The units of all texts so far; text i lies from `offsets[i]` to `offsets[i + 1]`. */
  async joined(pace: Pace): Promise<{ units: Uint16Array; offsets: Uint32Array }> {
    const units = new Uint16Array(this.used);
    for (const [i, block] of this.blocks.entries()) {
      if (pace.isOverdue) await pace.turn();
      const start = i * (blockMask + 1);
      units.set(block.subarray(0, this.used - start), start);
    }
    return { units, offsets: this.ends.view() };
  }

  /** The number of a text, which is the next one if the text is new. */
  numberOf(text: string): number {
    const hash = hashText(text);
    const table = this.tables[(hash >>> 24) & (tableCount - 1)]!;
    const mask = table.slots.length - 1;
    let slot = hash & mask;
    for (; table.slots[slot] !== 0; slot = (slot + 1) & mask) {
      const number = table.slots[slot]! - 1;
      if (this.hashes.at(number) === hash && this.isAt(number, text)) return number;
    }
    const number = this.keep(text, hash);
    table.slots[slot] = number + 1;
    if (++table.used * 2 > table.slots.length) this.grow(table);
    return number;
  }

  private isAt(number: number, text: string): boolean {
    const start = this.ends.at(number);
    if (this.ends.at(number + 1) - start !== text.length) return false;
    for (let i = 0; i < text.length; i++) {
      const at = start + i;
      if (this.blocks[at >>> blockBits]![at & blockMask] !== text.charCodeAt(i)) return false;
    }
    return true;
  }

  private keep(text: string, hash: number): number {
    for (let i = 0; i < text.length; i++) {
      const at = this.used++;
      if ((at & blockMask) === 0) this.blocks.push(new Uint16Array(blockMask + 1));
      this.blocks[at >>> blockBits]![at & blockMask] = text.charCodeAt(i);
    }
    this.ends.push(this.used);
    return this.hashes.push(hash);
  }

  private grow(table: { slots: Uint32Array }): void {
    const slots = new Uint32Array(2 * table.slots.length);
    for (const kept of table.slots) {
      if (kept === 0) continue;
      let slot = this.hashes.at(kept - 1) & (slots.length - 1);
      while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = kept;
    }
    table.slots = slots;
  }
}
