import { spend } from '../syntax/effort.js';
import { maxTextLength, maxValueBytes } from './bounds.js';
import { type CypherMap, type CypherValue, isList, isMap } from './cypher-value.js';
import { Decimal } from './decimal.js';
import { ValueFault } from './value-fault.js';
import { type Bilingual } from '../../text/bilingual.js';

/** Bytes of values in V8 on 64 bits, where Node does not compress pointers. `value-size.spec.ts` measures each kind of value. */
const bytesOfSlot = 8;
const bytesOfInteger = 24;
const bytesOfFloat = 16;
const bytesOfTextHead = 16;
const bytesOfEmptyList = 32;
const bytesOfListHead = 48;
const bytesOfDecimal = 48;
/** Bytes of a node or an edge that a query has reached. */
const bytesOfElement = 72;
const bytesOfPath = 48;
const bytesOfTemporal = { date: 220, localtime: 220, time: 220, localdatetime: 260, datetime: 300, duration: 136 };
/** Bytes of the source text that a temporal value keeps if it was read from a stored property. */
const bytesOfSource = 48;

/**
 * Maximum characters of a map key whose bytes are not counted, because maps share it: the key is written in the query, or is cached once
 * for all JSON. In a map with more than `mostSharedNames` keys, all keys are counted.
 */
export const longestSharedName = 64;
const mostSharedNames = 256;
/** Minimum bytes of a list or map whose size is cached, since many rows may share the value. */
const leastKept = 8_192;
const deepest = 500;
const safeDigits = 2n ** 64n;
const wide = /[\u0100-\uffff]/;

/** Sizes and depths of large lists and maps, which are never changed once they are built. */
const kept = new WeakMap<object, { bytes: number; height: number }>();
/** Greatest depth of nesting that the current measurement has reached. */
let reached = 0;

/** An expression would build a text, list or map that is too large. A value is never truncated. */
export class ValueTooLargeFault extends ValueFault {
  constructor(
    readonly size: number,
    readonly limit: number,
    readonly unit: 'bytes' | 'characters' = 'bytes',
  ) {
    super('ArgumentError', 'ValueTooLarge', tooLarge[unit](size, limit));
  }
}

const tooLarge: Record<ValueTooLargeFault['unit'], (size: number, limit: number) => Bilingual> = {
  bytes: (size, limit) => ({
    zh: `此处的列表或映射将占用 ${size} 字节内存，上限为 ${limit} 字节`,
    en: `A list or map here would take ${size} bytes of memory, and ${limit} are the most`,
  }),
  characters: (size, limit) => ({
    zh: `此处的文本将有 ${size} 个字符，上限为 ${limit} 个字符`,
    en: `A text here would have ${size} characters, and ${limit} are the most`,
  }),
};

/**
 * Approximate bytes of memory that a value keeps from being freed, without the slot that refers to the value: all of its items, and each
 * node and edge in it. A part that stands in several places of the value counts once for each place.
 * @throws ValueFault for a value that is too deep
 */
export function sizeOf(value: CypherValue): number {
  switch (typeof value) {
    case 'bigint':
      return bytesOfInteger;
    case 'number':
      return Object.is(value | 0, value) ? 0 : bytesOfFloat;
    case 'string':
      return sizeOfText(value);
    case 'object':
      if (value === null) return 0;
      reached = 0;
      return sizeWithin(value, 0);
    default:
      return 0;
  }
}

/** Size of a list that is built item by item, so that the whole list need not be measured again. */
export class SizeOfItems {
  /** Bytes of the items, without their slots. */
  bytes = 0;
  private height = 0;

  /** @throws ValueFault for an item that is too deep */
  add(item: CypherValue): void {
    spend(1);
    this.bytes += sizeOf(item);
    if (typeof item !== 'object' || item === null || !(isList(item) || isMap(item))) return;
    checkDepth(reached + 1);
    this.height = Math.max(this.height, reached + 1);
  }

  /** Caches the size of a list that has exactly the added items, and returns the list. */
  of<T extends CypherValue>(list: T[]): T[] {
    const bytes = this.bytes + bytesOfList(list.length);
    if (bytes >= leastKept) kept.set(list, { bytes, height: this.height });
    return list;
  }
}

/** @throws ValueTooLargeFault for a value of too many bytes. Call it before building the value. */
export function checkBytes(bytes: number, limit = maxValueBytes): void {
  if (bytes > limit) throw new ValueTooLargeFault(bytes, limit);
}

/** @throws ValueTooLargeFault for a text of too many UTF-16 units. Call it before building the text. */
export function checkLength(units: number): void {
  if (units > maxTextLength) throw new ValueTooLargeFault(units, maxTextLength, 'characters');
}

/** Returns a list or map after checking its size and depth. @throws ValueTooLargeFault; ValueFault if the value is too deep */
export function checkedSize<T extends CypherValue>(value: T): T {
  checkBytes(sizeOf(value));
  return value;
}

/** The bytes of a list of `count` items of `bytesOfItem` bytes each. */
export function bytesOfList(count: number, bytesOfItem = 0): number {
  return count === 0 ? bytesOfEmptyList : bytesOfListHead + count * (bytesOfSlot + bytesOfItem);
}

/** The bytes of a list of `count` integers. */
export function bytesOfIntegers(count: number): number {
  return bytesOfList(count, bytesOfInteger);
}

export function bytesOfSlots(count: number): number {
  return count * bytesOfSlot;
}

/** The bytes of a `Map` with this number of entries, without the keys and values. */
export function bytesOfTable(entries: number): number {
  return 72 + 28 * capacityOf(entries);
}

/** Bytes by which a `Map` has grown with its last entry, if it now has this number of entries. */
export function growthOfTable(entries: number): number {
  return bytesOfTable(entries) - (entries === 1 ? 0 : bytesOfTable(entries - 1));
}

/** The bytes of a `Set` with this number of entries, without the values. */
export function bytesOfSet(entries: number): number {
  return 72 + 20 * capacityOf(entries);
}

/** The bytes of `count` nodes and edges that were made for a query. */
export function bytesOfElements(count: number): number {
  return bytesOfElement * count;
}

function capacityOf(entries: number): number {
  return entries <= 4 ? 4 : 2 ** (32 - Math.clz32(entries - 1));
}

function sizeOfText(text: string): number {
  // V8 shares texts of one character.
  if (text.length < 2) return text.length === 0 || text.charCodeAt(0) < 256 ? 0 : 24;
  // `wide.test` makes V8 join the parts of a concatenated text, which takes time for each character.
  spend(text.length >> 3);
  const bytes = wide.test(text) ? 2 * text.length : text.length;
  return bytesOfTextHead + ((bytes + 7) & ~7);
}

function sizeWithin(value: NonNullable<CypherValue> & object, depth: number): number {
  if (isList(value) || isMap(value)) return sizeOfItems(value, depth);
  if (value instanceof Decimal) return bytesOfDecimal + bytesOfDigits(value.units);
  switch (value.kind) {
    case 'node':
    case 'edge':
      return bytesOfElement;
    case 'path':
      return bytesOfPath + 2 * bytesOfListHead + (2 * value.edges.length + 1) * (bytesOfSlot + bytesOfElement);
    default:
      return bytesOfTemporal[value.kind] + ('source' in value ? bytesOfSource : 0);
  }
}

function sizeOfItems(value: readonly CypherValue[] | CypherMap, depth: number): number {
  const known = kept.get(value);
  const least = depth + (known?.height ?? 0);
  checkDepth(least);
  if (known) {
    reached = Math.max(reached, least);
    return known.bytes;
  }
  const before = reached;
  reached = depth;
  const bytes = isMap(value) ? sizeOfMap(value, depth) : sizeOfList(value, depth);
  if (bytes >= leastKept) kept.set(value, { bytes, height: reached - depth });
  reached = Math.max(before, reached);
  return bytes;
}

function checkDepth(depth: number): void {
  if (depth >= deepest)
    throw new ValueFault('ArgumentError', 'ValueTooDeep', {
      zh: `列表与映射最多嵌套 ${deepest} 层`,
      en: `Lists and maps nest at most ${deepest} deep`,
    });
}

function sizeOfList(list: readonly CypherValue[], depth: number): number {
  spend(2 * list.length);
  let bytes = bytesOfList(list.length);
  for (const item of list) bytes += sizeInside(item, depth);
  return bytes;
}

function sizeOfMap(map: CypherMap, depth: number): number {
  spend(5 * map.size);
  let bytes = bytesOfTable(map.size);
  const hasOwnNames = map.size > mostSharedNames;
  for (const [name, item] of map)
    bytes += (hasOwnNames || name.length > longestSharedName ? sizeOfText(name) : 0) + sizeInside(item, depth);
  return bytes;
}

function sizeInside(item: CypherValue, depth: number): number {
  return typeof item === 'object' && item !== null ? sizeWithin(item, depth + 1) : sizeOf(item);
}

function bytesOfDigits(digits: bigint): number {
  if (digits < safeDigits && digits > -safeDigits) return bytesOfInteger;
  const hexadecimal = digits.toString(16).length;
  spend(hexadecimal >> 4);
  return 16 + ((hexadecimal / 2 + 7) & ~7);
}
