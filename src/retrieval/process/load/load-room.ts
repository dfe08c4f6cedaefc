import { type GraphExceedsMemoryError } from '../../retrieval.errors.js';

/** A small load has taken more memory than a small load may. It begins again as a large load. */
export class LoadOutgrownError extends Error {}

/** The memory that one load may take. */
export interface LoadRoom {
  /** Reports how many bytes the load holds by now. @throws GraphExceedsMemoryError, LoadOutgrownError */
  took(bytes: number): void;
}

/**
 * The room for a small load. Several small loads run at once, and their memory is counted only when they end, so each has a small limit.
 */
export function smallRoom(mostBytes: number): LoadRoom {
  return {
    took: bytes => {
      if (bytes > mostBytes) throw new LoadOutgrownError();
    },
  };
}

/** The room for a large load; only one runs at a time. @param told called with the bytes that the load holds at each report */
export function largeRoom(exceeded: GraphExceedsMemoryError, budgetBytes: number, told: (bytes: number) => void): LoadRoom {
  return {
    took: bytes => {
      if (bytes > budgetBytes) throw exceeded;
      told(bytes);
    },
  };
}
