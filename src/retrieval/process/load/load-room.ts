import { type GraphExceedsMemoryError } from '../../retrieval.errors.js';

/** A small load has taken more memory than a small load may. It begins again as a large load. */
export class LoadOutgrownError extends Error {}

/** The memory that one load may take. */
export interface LoadRoom {
  /** Reports how many bytes the load holds by now. @throws GraphExceedsMemoryError, LoadOutgrownError */
  took(bytes: number): void;
}

/** The room for a small load. Several small loads go on at once, and the memory of a load is not counted before it ends. */
export function smallRoom(mostBytes: number): LoadRoom {
  return {
    took: bytes => {
      if (bytes > mostBytes) throw new LoadOutgrownError();
    },
  };
}

/** The room for the large load that has its turn. @param told called with the bytes at each report */
export function largeRoom(exceeded: GraphExceedsMemoryError, budgetBytes: number, told: (bytes: number) => void): LoadRoom {
  return {
    took: bytes => {
      if (bytes > budgetBytes) throw exceeded;
      told(bytes);
    },
  };
}
