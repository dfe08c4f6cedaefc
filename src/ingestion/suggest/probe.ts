import { type SourceTable } from './source-table.js';

export interface KeyCount {
  rows: number;
  /** Rows with a value in each of the columns. */
  filled: number;
  distinct: number;
  /** Only some rows were read. */
  isSample: boolean;
}

export interface Overlap {
  /** Different values that were looked up. */
  sampled: number;
  /** Those that are keys of the other table. */
  found: number;
}

/** Counts in the source. Null if it gave no answer in time. */
export interface Probe {
  countKey(table: SourceTable, columns: string[], options?: { mayBeSample?: boolean }): Promise<KeyCount | null>;
  overlap(from: { table: SourceTable; column: string }, to: { table: SourceTable; column: string }): Promise<Overlap | null>;
}
