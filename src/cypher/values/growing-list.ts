import { type CypherValue } from './cypher-value.js';
import { bytesOfList, checkBytes, SizeOfItems } from './value-size.js';

/** A list that an expression builds item by item. The list is refused as soon as it is too large, before the next item takes memory. */
export class GrowingList {
  private readonly items: CypherValue[] = [];
  private readonly size = new SizeOfItems();

  /** @throws ValueTooLargeFault; ValueFault for an item that is too deep */
  push(item: CypherValue): void {
    this.size.add(item);
    checkBytes(this.size.bytes + bytesOfList(this.items.length + 1));
    this.items.push(item);
  }

  get length(): number {
    return this.items.length;
  }

  /** The items as a list without the room that V8 keeps for further items. A list of one item would otherwise have room for 17. */
  whole(): CypherValue[] {
    return this.size.of(this.items.slice());
  }
}

/** Calls each function with `given`, and lists the results in order. @throws ValueTooLargeFault; ValueFault for an item that is too deep */
export function listOf<T>(makers: readonly ((given: T) => CypherValue)[], given: T): CypherValue[] {
  const list = new GrowingList();
  for (const make of makers) list.push(make(given));
  return list.whole();
}
