import { LRUCache } from 'lru-cache';
import { type GraphArrays } from './memory-graph.js';

/** Of all graphs of this thread. */
export const mostBytesDerived = 67_108_864;

/** Without the arrays that they were derived from, which go with their graph. The least recently used ones go. */
const kept = new LRUCache<string, { value: unknown; bytes: number }>({ maxSize: mostBytesDerived, sizeCalculation: ({ bytes }) => bytes });
const bytesOfEntry = 256;

const numbers = new WeakMap<Uint32Array, number>();
let graphs = 0;

/** What is derived from the edges of a graph by a pass over all of them, for the next query of this thread. */
export class DerivedArrays<T> {
  constructor(private readonly name: string) {}

  get(graph: GraphArrays, key = ''): T | undefined {
    return kept.get(this.keyOf(graph, key))?.value as T | undefined;
  }

  /** @param bytes of its arrays; more than all may take are not kept */
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
