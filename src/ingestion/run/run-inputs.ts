import { type CursorFrom } from './cursor-bound.js';

/** Everything on which the outcome of a run depends, apart from the revision of the mapping and the graph. */
export interface RunInputs {
  /** The release of the service, because another release may read the same rows in another way. */
  release: string;
  /**
   * The data version of each table of the mirror that the run read, in the snapshot of the staging, by the name of the table. Empty for a
   * source in another database.
   */
  data_versions: Record<string, number>;
  /**
   * The file number and the size in bytes of each table of the mirror, by the name of the table. They reveal most changes by direct SQL,
   * which do not raise the data version.
   */
  files: Record<string, string>;
  /**
   * A digest for each table copied from another database: of its rows and of everything that decides their meaning. Empty for the mirror.
   */
  digests: string[];
  /** The place from which each incremental target was read, by the name of the target; null for the beginning. */
  cursors: Record<string, CursorFrom | null>;
}
