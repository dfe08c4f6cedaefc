import { maxValueBytes } from './bounds.js';
import { type CypherValue, isList, isMap } from './cypher-value.js';
import { spend } from '../syntax/effort.js';
import { ValueFault } from './value-fault.js';

const bytesOfItem = 8;
const bytesOfObject = 48;
const bytesOfElement = 150;
/** Beyond so many nothing is counted. */
const mostItems = maxValueBytes / bytesOfItem;
const deepest = 500;

/** An expression would build a text, list or map that is too large. No value is ever cut. */
export class ValueTooLargeFault extends ValueFault {
  constructor(
    readonly bytes: number,
    readonly limit: number,
  ) {
    super('ArgumentError', 'ValueTooLarge', {
      zh: `此处的值将有 ${bytes} 字节，上限为 ${limit} 字节`,
      en: `A value here would take ${bytes} bytes, and ${limit} are the most`,
    });
  }
}

/**
 * About the bytes that a value holds: 8 for each item, and one for each UTF-16 unit of its texts. Nodes, relationships and paths
 * count as one item, because a list only refers to them. Stops counting above the limit, so that shared parts cost no time.
 */
export function sizeOf(value: CypherValue): number {
  return sizeWithin(value, 0);
}

/** About the bytes that a value keeps from being freed: what `sizeOf` counts, and the objects of nodes, relationships and paths. */
export function heldBytesOf(value: CypherValue): number {
  if (typeof value === 'string') return bytesOfObject + value.length;
  if (value === null || typeof value !== 'object') return bytesOfItem;
  const sum = (values: Iterable<CypherValue>) => {
    let bytes = bytesOfObject;
    for (const item of values) {
      spend(1);
      bytes += bytesOfItem + heldBytesOf(item);
    }
    return bytes;
  };
  if (isList(value)) return sum(value);
  if (isMap(value)) return sum(value.values()) + sizeOf(value);
  if ('kind' in value && value.kind === 'path') return bytesOfElement * (value.nodes.length + value.edges.length);
  return 'kind' in value && (value.kind === 'node' || value.kind === 'edge') ? bytesOfElement : bytesOfObject;
}

/** Refuses to build a value of so many bytes. Call it before building. */
export function checkBytes(bytes: number, limit = maxValueBytes): void {
  if (bytes > limit) throw new ValueTooLargeFault(bytes, limit);
}

/** Returns a built text, list or map, unless it is too large or too deep. */
export function checkedSize<T extends CypherValue>(value: T): T {
  checkBytes(sizeOf(value));
  return value;
}

/** The bytes of a list of so many items, without what the items hold. */
export function bytesOfItems(count: number): number {
  return count * bytesOfItem;
}

function sizeWithin(value: CypherValue, depth: number): number {
  if (typeof value === 'string') return value.length;
  if (value === null || typeof value !== 'object') return 0;
  if (isList(value)) {
    spend(2 * Math.min(value.length, mostItems));
    return sizeOfItems(value, bytesOfItems(value.length), depth);
  }
  if (!isMap(value)) return 0;
  spend(5 * value.size);
  const names = [...value.keys()].reduce((size, name) => size + bytesOfItem + name.length, 0);
  return sizeOfItems(value.values(), names, depth);
}

function sizeOfItems(items: Iterable<CypherValue>, own: number, depth: number): number {
  if (depth >= deepest)
    throw new ValueFault('ArgumentError', 'ValueTooDeep', {
      zh: `列表与映射最多嵌套 ${deepest} 层`,
      en: `Lists and maps nest at most ${deepest} deep`,
    });
  let size = own;
  for (const item of items) {
    if (size > maxValueBytes) return size;
    size += sizeWithin(item, depth + 1);
  }
  return size;
}
