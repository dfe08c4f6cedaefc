import { type CypherValue } from './cypher-value.js';
import { checkBytes, sizeOf } from './value-size.js';

/** A list that an expression builds item by item. It is refused as soon as it is too large, before the next item takes memory. */
export class GrowingList {
  readonly items: CypherValue[] = [];
  private bytes = 0;

  /** @throws ValueTooLargeFault; ValueFault for an item that is too deep */
  push(item: CypherValue): void {
    this.bytes += sizeOf([item]);
    checkBytes(this.bytes);
    this.items.push(item);
  }
}

/** The list of what the functions give, one after the other. @throws as `push` does */
export function listOf<T>(makers: readonly ((given: T) => CypherValue)[], given: T): CypherValue[] {
  const list = new GrowingList();
  for (const make of makers) list.push(make(given));
  return list.items;
}
