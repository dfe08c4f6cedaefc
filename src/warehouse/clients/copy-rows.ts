import { type Hash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { type PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { type CopyPlace, type SourceTable, toCopyFailure, tooLarge } from './copy-failure.js';
import { type CopyLimits } from './copy-limits.js';
import { type Reading, type RowsRequest } from './warehouse.client.js';
import { watched } from './watched-rows.js';

const showEveryMs = 1_000;

export interface CopyTask {
  place: CopyPlace & { table: SourceTable };
  /** The COPY statement that receives the rows, such as `COPY pg_temp.source_0 FROM STDIN`. */
  copy: string;
  since?: RowsRequest['since'];
  limits: CopyLimits;
  /** Rows and bytes that have been copied so far, over all tables of the work. `copyRows` adds to them. */
  copied: { rows: number; bytes: number };
  /** A hash that is updated with all bytes of the rows. */
  digest?: Hash;
  /** Called about once a second while rows are copied. */
  show?: () => Promise<void>;
}

/**
 * Copies a table of another database into PostgreSQL. The reading's bytes are piped into a COPY, no faster than PostgreSQL takes them.
 * @throws RunFailure, or an error of the service's own database
 */
export async function copyRows(
  client: PoolClient,
  reading: Reading,
  { place, copy, since, limits, copied, digest, show }: CopyTask,
): Promise<void> {
  const rows = reading.rows({ table: place.table.name, columns: place.table.used.map(({ name }) => name), ...(since && { since }) });
  let shownAt = performance.now();
  const onBytes = async (bytes: Buffer, ended: number): Promise<void> => {
    copied.bytes += bytes.length;
    copied.rows += ended;
    if (copied.bytes > limits.maxBytes || copied.rows > limits.maxRows) throw tooLarge(limits);
    digest?.update(bytes);
    if (!show || performance.now() - shownAt < showEveryMs) return;
    await show();
    shownAt = performance.now();
  };
  try {
    await pipeline(rows, watched(limits.silenceMs, onBytes), client.query(copyFrom(copy)));
  } catch (error) {
    throw toCopyFailure(error, place);
  }
}
