import { type Bilingual } from '../../text/bilingual.js';
import { type TableDescription } from '../../warehouse/clients/warehouse.client.js';

/** A table as its connection describes it. */
export interface SourceTable extends TableDescription {
  /** As users write it. */
  name: string;
  /** Without its schema. */
  bareName: string;
  comment: string | null;
}

/** What was looked at, as counts and names. It never holds a value of a row. */
export type Evidence = Record<string, string | number>;

/** The columns that identify a row. `evidence` is null for a declared key. */
export interface RowKey {
  columns: string[];
  evidence: Evidence | null;
}

/** Columns of a table that hold the key of another. `evidence` is null for a declared foreign key. */
export interface Reference {
  columns: string[];
  table: string;
  /** The columns of the other table, in the order of `columns`. */
  references: string[];
  evidence: Evidence | null;
}

/** A table of which it was found out how rows are told apart and what they refer to. */
export interface KnownTable extends SourceTable {
  /** Null if nothing tells its rows apart. */
  key: RowKey | null;
  references: Reference[];
}

/** A table, or some columns of it, that a draft does not map. */
export interface LeftOut {
  table: string;
  columns: string[];
  reason: Bilingual;
}

/** The identity of some columns, whatever their order. */
export function columnSet(columns: readonly string[]): string {
  return JSON.stringify([...columns].sort());
}
