import { maxCollectedBytes } from '../values/bounds.js';
import { type CypherValue } from '../values/cypher-value.js';
import { bytesOfList, bytesOfSlots, checkBytes, SizeOfItems } from '../values/value-size.js';

/** The values of the rows of a group, as many as fit. */
export class GatheredValues<T extends CypherValue> {
  private readonly values: T[] = [];
  private readonly size = new SizeOfItems();
  /** The slots that V8 has reserved. */
  private slots = 0;

  get bytes(): number {
    return this.size.bytes + bytesOfList(0) + bytesOfSlots(this.slots);
  }

  get length(): number {
    return this.values.length;
  }

  /** @throws ValueTooLargeFault; ValueFault for a value that is too deep */
  push(value: T): void {
    this.size.add(value);
    if (this.values.length === this.slots) this.slots = slotsBeyond(this.slots);
    checkBytes(this.bytes, maxCollectedBytes);
    this.values.push(value);
  }

  /** The values as a list without the slots that are left. */
  whole(): T[] {
    return this.size.of(this.values.slice());
  }
}

/** V8 reserves half as many slots again, and 16. */
function slotsBeyond(slots: number): number {
  return slots + 1 + ((slots + 1) >> 1) + 16;
}
