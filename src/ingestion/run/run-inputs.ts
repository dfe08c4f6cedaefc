import { type CursorFrom } from './cursor-bound.js';

/** Everything on which the outcome of a run depends, apart from the revision of the mapping and the graph. */
export interface RunInputs {
  /** The release of the service, because another release may read the same rows in another way. */
  release: string;
  /**
   * The data version of each table of the mirror that the run read, by the name of the table. It is the version in the snapshot of the
   * staging. Empty for a source in another database.
   */
  data_versions: Record<string, number>;
  /**
   * The file number and the size in bytes of each table of the mirror, by the name of the table. They reveal most changes by direct SQL,
   * which do not raise the data version.
   */
  files: Record<string, string>;
  /**
   * A digest for each table copied from another database, over its rows and everything that decides their meaning. Empty for the mirror.
   */
  digests: string[];
  /** The start of the read of each incremental target, by the name of the target; null for a read from the beginning. */
  cursors: Record<string, CursorFrom | null>;
}
