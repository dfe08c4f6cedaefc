import { type CursorFrom } from './cursor-bound.js';

/** All that the outcome of a run depends on, besides its revision and the graph. */
export interface RunInputs {
  /** Another release may read the same rows in another way. */
  release: string;
  /** The state of each table of the mirror that the run read, in the snapshot that it staged from. Empty for other databases. */
  data_versions: Record<string, number>;
  /** The file of each table and its bytes. They tell most changes by SQL, which raise no version. */
  files: Record<string, string>;
  /** Digest of each copied table of another database: of its rows and of all that decides their meaning. Empty for the mirror. */
  digests: string[];
  /** The place from which each incremental target read. */
  cursors: Record<string, CursorFrom | null>;
}
