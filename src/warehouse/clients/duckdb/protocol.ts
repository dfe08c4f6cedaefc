import { type DuckdbPlace } from './duckdb-dsn.js';
import { type UnreadableFile } from './unreadable-file.js';

/** Place of a connection's files. `path` is relative to the operator's directory `directory`. */
export interface FileSource extends DuckdbPlace {
  directory: string;
}

/**
 * One piece of work for a DuckDB process. The process opens the files for the work and closes them afterwards, so no file is held between
 * two pieces of work.
 */
export type Work =
  | { do: 'test' }
  | { do: 'names' }
  /** `unopened`: lists the files of a folder without opening them, and so without their columns. */
  | { do: 'list'; after: string; limit: number; unopened?: true }
  | { do: 'find'; table: string }
  | { do: 'describe'; table: string }
  | { do: 'query'; sql: string; parameters: readonly unknown[]; maxRows: number; maxBytes: number }
  | { do: 'sample'; table: string; maxRows: number; maxBytes: number }
  | { do: 'rows'; table: string; columns: string[]; since: { column: string; value: string } | null };

export interface TestAnswer {
  version: string;
  /** Files of the folder that are not tables, at most ten. `leftOutCount` is the number of all such files. */
  leftOut: string[];
  leftOutCount: number;
  /** Files of the folder that cannot be read, at most ten. `unreadableCount` is the number of all such files. */
  unreadable: UnreadableFile[];
  unreadableCount: number;
  /** Schemas of the database file whose tables are not shown. */
  otherSchemas: string[];
}

/** The SQL that reads a text file, by the file and its version. Finding this SQL requires reading the whole file. */
export type Readers = Record<string, string>;

export type Row = (string | null)[];

export interface QueryAnswer {
  columns: { name: string; type: string }[];
  /** Values as texts in PostgreSQL's spelling. The process sends the rows in pieces before the rest of the answer. */
  rows: Row[];
  truncated: boolean;
  bytes: number;
}

/** The answer to work of the kind `rows`: the number of bytes of the rows. The rows themselves go through the standard output. */
export interface RowsAnswer {
  bytes: number;
}

type FailureCode =
  | 'missing'
  | 'outside'
  | 'forbidden'
  | 'not_a_database'
  | 'newer_version'
  | 'in_use'
  | 'too_many_files'
  | 'changed'
  | 'no_table'
  | 'unreadable_file'
  | 'unreadable_value'
  | 'too_large'
  | 'several_statements'
  | 'not_a_query'
  | 'duckdb';

export interface Failure {
  code: FailureCode;
  /** The text of the error for the log only, because it may hold paths and values. */
  message: string;
  /** The column that has an unreadable value. */
  column?: string;
  bytes?: number;
  /** The unreadable file and the place in it. */
  unreadable?: UnreadableFile;
}

/** A message of the process. `rows` are the next rows of the running work. `found` are the readers that the work found. */
export type Reply = { ready: true } | { noDriver: true } | { rows: Row[] } | Outcome;
export type Outcome = ({ done: unknown } | { failed: Failure }) & { found: Readers };

/** The DuckDB process ends itself with this signal when it takes more memory than its limit. */
export const outOfMemorySignal = 'SIGTERM';
