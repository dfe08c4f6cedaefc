import { type DuckdbPlace } from './duckdb-dsn.js';
import { type UnreadableReason } from './unreadable-file.js';

/** Place of the files of a connection: `path` is below the `directory` of the operator. */
export interface FileSource extends DuckdbPlace {
  directory: string;
}

/** One piece of work. The process opens the files for it and closes them again, so nothing of it is held in between. */
export type Work =
  | { do: 'test' }
  | { do: 'names' }
  /** Unopened, the files of a folder are listed without their columns. */
  | { do: 'list'; after: string; limit: number; unopened?: true }
  | { do: 'find'; table: string }
  | { do: 'describe'; table: string }
  | { do: 'query'; sql: string; parameters: readonly unknown[]; maxRows: number; maxBytes: number }
  | { do: 'sample'; table: string; maxRows: number; maxBytes: number }
  | { do: 'rows'; table: string; columns: string[]; since: { column: string; value: string } | null };

export interface TestAnswer {
  version: string;
  /** Files of the folder that are not tables, at most ten, and the number of all of them. */
  leftOut: string[];
  leftOutCount: number;
  /** Files of the folder that nothing can read, at most ten, and the number of all of them. */
  unreadable: UnreadableFile[];
  unreadableCount: number;
  /** Schemas whose tables are not shown. */
  otherSchemas: string[];
}

export interface UnreadableFile {
  file: string;
  reason: UnreadableReason;
}

export type Row = (string | null)[];

export interface QueryAnswer {
  columns: { name: string; type: string }[];
  /** Values as PostgreSQL writes them. They come before the rest, in pieces. */
  rows: Row[];
  truncated: boolean;
  bytes: number;
}

/** The bytes of `rows` go through the standard output. This says how many there were. */
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
  /** For the log only: it may have paths and values. */
  message: string;
  /** The column of an unreadable value, counted from 0 among those asked for. */
  column?: number;
  bytes?: number;
  /** The file that cannot be read, where the work asked for it by the name of its table. */
  unreadable?: UnreadableFile;
}

/** `rows` are the next ones of the work that goes on. */
export type Reply = { ready: true } | { noDriver: true } | { rows: Row[] } | { done: unknown } | { failed: Failure };

/** The process ends itself with this signal when it takes more memory than it may. */
export const outOfMemorySignal = 'SIGTERM';
