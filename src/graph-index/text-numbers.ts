import { type Pace } from '../common/turns/pace.js';
import { GrowableUint32 } from './growable-array.js';
import { keyedHash } from './keyed-hash.js';

const tableCount = 256;
const firstSlots = 64;

/** An open hash table. Each slot has two items: the hash of a text, and the text's number + 1, which is 0 in an empty slot. */
interface Table {
  slots: Uint32Array;
  used: number;
}

const [blockBits, blockMask] = [20, 0xfffff];

/**
 * Numbers different texts in the order in which they come, without an object for each text. Texts lie one behind the other as UTF-16 units,
 * and open hash tables find them. The units are in blocks and the tables are many and small, so that they grow one by one: growing a single
 * table of millions of texts would hold up the event loop.
 */
export class TextNumbers {
  private readonly blocks: Uint16Array[] = [];
  private used = 0;
  private readonly ends = new GrowableUint32();
  private readonly tables = Array.from({ length: tableCount }, (): Table => ({ slots: new Uint32Array(2 * firstSlots), used: 0 }));

  constructor() {
    this.ends.push(0);
  }

  get size(): number {
    return this.ends.length - 1;
  }

  /** The number of UTF-16 units of all texts together. */
  get length(): number {
    return this.used;
  }

  /** All texts so far, joined as UTF-16 units; text i lies from `offsets[i]` to `offsets[i + 1]`. */
  async joined(pace: Pace): Promise<{ units: Uint16Array; offsets: Uint32Array }> {
    const units = new Uint16Array(this.used);
    for (const [i, block] of this.blocks.entries()) {
      if (pace.isOverdue) await pace.turn();
      const start = i * (blockMask + 1);
      units.set(block.subarray(0, this.used - start), start);
    }
    return { units, offsets: this.ends.view() };
  }

  /** The number of a text. A new text gets the next number. */
  numberOf(text: string): number {
    const hash = keyedHash(text);
    const table = this.tables[hash >>> 24]!;
    const { slots } = table;
    let at = firstSlot(slots, hash);
    for (; slots[at + 1] !== 0; at = nextSlot(slots, at)) {
      const number = slots[at + 1]! - 1;
      if (slots[at] === hash && this.isAt(number, text)) return number;
    }
    const number = this.keep(text);
    slots[at] = hash;
    slots[at + 1] = number + 1;
    if (++table.used * 4 > slots.length) grow(table);
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

  private keep(text: string): number {
    for (let i = 0; i < text.length; i++) {
      const at = this.used++;
      if ((at & blockMask) === 0) this.blocks.push(new Uint16Array(blockMask + 1));
      this.blocks[at >>> blockBits]![at & blockMask] = text.charCodeAt(i);
    }
    return this.ends.push(this.used) - 1;
  }
}

function firstSlot(slots: Uint32Array, hash: number): number {
  return (2 * hash) & (slots.length - 1);
}

function nextSlot(slots: Uint32Array, at: number): number {
  return (at + 2) & (slots.length - 1);
}

function grow(table: Table): void {
  const slots = new Uint32Array(2 * table.slots.length);
  for (let from = 0; from < table.slots.length; from += 2) {
    if (table.slots[from + 1] === 0) continue;
    let at = firstSlot(slots, table.slots[from]!);
    while (slots[at + 1] !== 0) at = nextSlot(slots, at);
    slots[at] = table.slots[from]!;
    slots[at + 1] = table.slots[from + 1]!;
  }
  table.slots = slots;
}
