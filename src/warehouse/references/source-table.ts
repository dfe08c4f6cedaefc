import { type Bilingual } from '../../text/bilingual.js';
import { type ForeignKey, type TableDescription } from '../clients/warehouse.client.js';

/** A table as the catalogue of its connection describes it. */
export interface SourceTable extends TableDescription {
  /** The name of the table as users write it. */
  name: string;
  /** The name of the table without its schema. */
  bareName: string;
  comment: string | null;
}

/** Evidence for a guess, found in the data, as counts and names. It never holds a value of a row. */
export type Evidence = Record<string, string | number>;

/** The columns that identify a row. `evidence` is null for a declared key. */
export interface RowKey {
  columns: string[];
  evidence: Evidence | null;
}

/** Columns of a table that hold the key of another table. `evidence` is null for a declared foreign key. */
export interface Reference extends ForeignKey {
  evidence: Evidence | null;
}

/** A table, or some columns of it, that a draft does not use. */
export interface LeftOut {
  table: string;
  columns: string[];
  reason: Bilingual;
}
