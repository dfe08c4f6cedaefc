/** A part of one version of a graph, such as its topology or one column of properties. */
export interface PartKey {
  graphId: number;
  version: number;
  name: string;
}

/** The name of the part that searches and questions need. */
export const searchPart = 'search';

/** A part of the version before, with its nodes and edges. */
export interface PartBefore {
  version: number;
  topology: object;
  part: object;
}

/** The parts of graphs that all threads of the process share: flat records of arrays in shared memory. */
export interface SharedParts {
  /** Gives the part, and loads it if no thread has it yet. All who ask meanwhile wait for that load. */
  get<T extends object>(key: PartKey, load: (before: PartBefore | null) => Promise<T>): Promise<T>;
  /** Whether the part is here already. */
  has(key: PartKey): boolean;
  /** Counts what this thread alone holds of a graph. */
  holds(graphId: number, version: number, bytes: number): void;
  /** Keeps what is here of a version beside that of the next one, until it is released. */
  keep(graphId: number, version: number): void;
  release(graphId: number, version: number): void;
}
