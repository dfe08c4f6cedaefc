import { LRUCache } from 'lru-cache';
import { type GraphArrays } from './memory-graph.js';

/** Maximum bytes of derived arrays in this thread, for all graphs together. */
export const mostBytesDerived = 67_108_864;

/** Derived arrays by name, graph and key; the least recently used ones are evicted. Their source arrays are freed with the graph. */
const kept = new LRUCache<string, { value: unknown; bytes: number }>({ maxSize: mostBytesDerived, sizeCalculation: ({ bytes }) => bytes });
const bytesOfEntry = 256;

const numbers = new WeakMap<Uint32Array, number>();
let graphs = 0;

/** Cache of values that were computed by a pass over all edges of a graph, for the next query of this thread. */
export class DerivedArrays<T> {
  constructor(private readonly name: string) {}

  get(graph: GraphArrays, key = ''): T | undefined {
    return kept.get(this.keyOf(graph, key))?.value as T | undefined;
  }

  /** @param bytes the bytes of the value's arrays; a value larger than `mostBytesDerived` is not kept */
  set(graph: GraphArrays, value: T, bytes: number, key = ''): T {
    const name = this.keyOf(graph, key);
    kept.set(name, { value, bytes: bytes + name.length + bytesOfEntry });
    return value;
  }

  private keyOf({ edgeTypes }: GraphArrays, key: string): string {
    let number = numbers.get(edgeTypes);
    if (number === undefined) numbers.set(edgeTypes, (number = ++graphs));
    return `${this.name} ${number} ${key}`;
  }
}
