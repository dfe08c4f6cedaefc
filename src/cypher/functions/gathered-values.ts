import { maxCollectedBytes } from '../values/bounds.js';
import { type CypherValue } from '../values/cypher-value.js';
import { bytesOfList, bytesOfSlots, checkBytes, SizeOfItems } from '../values/value-size.js';

/** The values of one group, up to `maxCollectedBytes`. */
export class GatheredValues<T extends CypherValue> {
  private readonly values: T[] = [];
  private readonly size = new SizeOfItems();
  /** The number of slots that V8 has reserved for `values`. */
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

  /** The values as a list without the unused slots. */
  whole(): T[] {
    return this.size.of(this.values.slice());
  }
}

/** The slots that V8 reserves for a list that outgrows `slots` slots: half as many again, and 16. */
function slotsBeyond(slots: number): number {
  return slots + 1 + ((slots + 1) >> 1) + 16;
}
