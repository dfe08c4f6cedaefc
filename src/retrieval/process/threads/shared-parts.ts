/** A part of one version of a graph, such as its topology or one column of properties. */
export interface PartKey {
  graphId: number;
  version: number;
  name: string;
}

/** The name of the part that searches and questions need. */
export const searchPart = 'search';

/**
 * A part in the form in which threads pass it to each other: a flat record of arrays in shared memory, with an id that no other part has.
 */
export interface SharedPart {
  id: string;
  record: object;
}

/** A thread, as an object that identifies it. */
export type Owner = object;

/** A part (such as an index) of the previous version of a graph, with the topology of that version. */
export interface PartBefore<T = object> {
  version: number;
  topology: T;
  part: T;
}

/** The turn of a large load. The process does one large load at a time. */
export interface LargeLoad {
  /** Reports how many bytes the load has taken so far. */
  took(bytes: number): void;
  end(): void;
}

/** The parts of graphs that all threads of the process share. */
export interface SharedParts {
  /** Returns the record of the part. Calls `load` if no thread has the part; all threads that ask meanwhile wait for that load. */
  get<T extends object>(key: PartKey, load: (before: PartBefore | null) => Promise<T>): Promise<T>;
  /** Whether this thread has the part already. */
  has(key: PartKey): boolean;
  /** Reports the bytes that this thread alone holds for a graph version. */
  holds(graphId: number, version: number, bytes: number): void;
  /** Keeps the parts of a version that this thread has, beside the parts of the next version, until `release`. */
  keep(graphId: number, version: number): void;
  release(graphId: number, version: number): void;
  /** Waits for the turn of a large load, and until the memory of dropped graphs is free. */
  loadLarge(graphId: number): Promise<LargeLoad>;
}
