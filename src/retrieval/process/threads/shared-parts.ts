/** A part of one version of a graph, such as its topology or one column of properties. */
export interface PartKey {
  graphId: number;
  version: number;
  name: string;
}

/** The name of the part that searches and questions need. */
export const searchPart = 'search';

/** A part as threads give it to each other: a flat record of arrays in shared memory, and a name that no other part has. */
export interface SharedPart {
  id: string;
  record: object;
}

/** A thread, as others tell it from the rest. */
export type Owner = object;

/** A part of the version before, with its nodes and edges. */
export interface PartBefore<T = object> {
  version: number;
  topology: T;
  part: T;
}

/** The turn of a large load, of which the process does one at a time. */
export interface LargeLoad {
  /** Tells how much the load has taken. */
  took(bytes: number): void;
  end(): void;
}

/** The parts of graphs that all threads of the process share. */
export interface SharedParts {
  /** Gives the record of the part, and loads it if no thread has it yet. All who ask meanwhile wait for that load. */
  get<T extends object>(key: PartKey, load: (before: PartBefore | null) => Promise<T>): Promise<T>;
  /** Whether the part is here already. */
  has(key: PartKey): boolean;
  /** Counts what this thread alone holds of a graph. */
  holds(graphId: number, version: number, bytes: number): void;
  /** Keeps what is here of a version beside that of the next one, until it is released. */
  keep(graphId: number, version: number): void;
  release(graphId: number, version: number): void;
  /** Waits for the turn of a large load, and for the memory of graphs that were dropped. */
  loadLarge(graphId: number): Promise<LargeLoad>;
}
