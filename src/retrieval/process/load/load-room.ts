import { type GraphExceedsMemoryError } from '../../retrieval.errors.js';

/** A load has outgrown the room of a small one, and begins again as a large one. */
export class LoadOutgrownError extends Error {}

/** The memory that one load may take. */
export interface LoadRoom {
  /** Tells how many bytes the load holds by now. @throws GraphExceedsMemoryError, LoadOutgrownError */
  took(bytes: number): void;
}

/** Room for a small load, of which several go on at once and none is counted before it ends. */
export function smallRoom(mostBytes: number): LoadRoom {
  return {
    took: bytes => {
      if (bytes > mostBytes) throw new LoadOutgrownError();
    },
  };
}

/** Room for the one large load that goes on. @param told is told each time */
export function largeRoom(exceeded: GraphExceedsMemoryError, budgetBytes: number, told: (bytes: number) => void): LoadRoom {
  return {
    took: bytes => {
      if (bytes > budgetBytes) throw exceeded;
      told(bytes);
    },
  };
}
