import { createHash, type Hash } from 'node:crypto';
import { type PoolClient, type QueryConfig } from 'pg';
import { type Claim } from '../../common/turns/fair-share.js';
import { quoteIdentifier } from '../../sql/quote-identifier.js';
import { toCopyFailure } from '../../warehouse/clients/copy-failure.js';
import { type CopyLimits } from '../../warehouse/clients/copy-limits.js';
import { copyRows } from '../../warehouse/clients/copy-rows.js';
import { requireSameTypes } from '../../warehouse/clients/same-types.js';
import {
  type Reading,
  type RowsRequest,
  type TableColumn,
  type WarehouseClient,
  type WarehouseDialect,
} from '../../warehouse/clients/warehouse.client.js';
import { type CopiedTable, type ForeignTable } from '../staging/foreign-tables.js';
import { cursorBound, type CursorFrom } from './cursor-bound.js';
import { type ExpectedRows } from './progress-report.js';
import { type RunProgress } from './run-progress.js';
import { type CopiedCounts, type SourceReport } from './run-report.js';

/** The search path of SQL that reads the copies. With another path, the name of a type could mean a type that the service has created. */
export const pathOfCopies = 'pg_catalog, pg_temp';

/** Tables of another database, and the client that reads them. */
export interface Copies {
  client: WarehouseClient;
  claim: Claim;
  tables: CopiedTable[];
}

export interface CopyOptions {
  connection: string;
  connectionId: number;
  /** The database role that runs the mapping's SQL and may read the copies. */
  reader: string;
  timeoutMs: number;
  limits: CopyLimits;
  /** Ends the copying, and the work that the source does for it. */
  signal: AbortSignal;
  /** The cursor from which the target with this name reads on; null to read all rows. */
  cursorFrom: (target: string) => CursorFrom | null;
  progress: RunProgress;
}

/**
 * Copies tables of the source into temporary tables of this session, in one transaction. `report` counts tables, rows and bytes during the
 * copying. Returns a digest for each table: of its rows, in their order, and of everything that decides their meaning.
 * @throws RunFailure, or an error of the service's own database
 */
export async function copySource(client: PoolClient, copies: Copies, report: SourceReport, options: CopyOptions): Promise<string[]> {
  const { connection, timeoutMs, signal } = options;
  const estimate = async (table: string): Promise<ExpectedRows | null> => {
    const rows = (await copies.client.catalog(copies.claim).find(table))?.rowEstimate ?? 0;
    return rows > 0 ? { rows, from: 'statistics' } : null;
  };
  let reading: Reading;
  try {
    reading = await copies.client.openReading({ claim: copies.claim, timeoutMs, signal });
  } catch (error) {
    throw toCopyFailure(error, { connection, table: null });
  }
  try {
    report.guarantee = reading.guarantee;
    const copied = (report.copied = { tables: 0, rows: 0, bytes: 0 });
    // The source limits the time of its own statements, so this session needs no limit while it waits for the rows.
    await client.query(`
      BEGIN; SET LOCAL search_path = ${pathOfCopies}; SET LOCAL statement_timeout = 0;
      SET LOCAL DateStyle = 'ISO, YMD'; SET LOCAL IntervalStyle = 'postgres'; SET LOCAL TimeZone = 'UTC'`);
    const digests: string[] = [];
    for (const table of copies.tables) {
      await options.progress.begin('copying', table.name);
      await createCopy(client, table, table.used, options.reader);
      const digest = await copyTable(client, reading, table, copied, { ...options, dialect: copies.client.dialect, estimate });
      await requireSameTypes(copies.client.catalog(copies.claim), connection, table);
      digests.push(digest);
      copied.tables++;
      if (table.feedsQuery) await client.query(`ANALYZE pg_temp.${table.copy}`);
    }
    await client.query('COMMIT');
    return digests;
  } finally {
    await reading.close();
  }
}

/** Makes the empty temporary table of a copy, which `reader` may read. */
export async function createCopy(session: PoolClient, { copy }: ForeignTable, columns: TableColumn[], reader: string): Promise<void> {
  const typed = columns.map(({ name, type }) => `${quoteIdentifier(name)} ${type}`).join(', ');
  // `queryMode: 'extended'` limits the text to one statement. The driver supports this option, but its declarations lack it, so the type
  // adds it.
  const create: QueryConfig & { queryMode: 'extended' } = { text: `CREATE TEMPORARY TABLE ${copy} (${typed})`, queryMode: 'extended' };
  await session.query(create);
  await session.query(`GRANT SELECT ON pg_temp.${copy} TO ${quoteIdentifier(reader)}`);
}

async function copyTable(
  client: PoolClient,
  reading: Reading,
  table: CopiedTable,
  copied: CopiedCounts,
  options: CopyOptions & { dialect: WarehouseDialect; estimate: (table: string) => Promise<ExpectedRows | null> },
): Promise<string> {
  const { connection, limits, progress } = options;
  const since = await sinceOf(client, table, options);
  progress.expect(since ? null : (progress.rowsOfLastRun ?? options.estimate(table.name)));
  const { rows, bytes } = copied;
  progress.copies(() => ({ rows: copied.rows - rows, bytes: copied.bytes - bytes }));
  const copy = `COPY pg_temp.${table.copy} FROM STDIN`;
  const digest = digestOf(table, since, options);
  await copyRows(client, reading, { place: { connection, table }, copy, ...(since && { since }), limits, copied, digest });
  return digest.digest('hex');
}

/**
 * Begins a digest with everything that decides which statement the source runs and what the bytes mean that it sends. The release of this
 * service is not part of it.
 */
function digestOf(
  { name, used }: CopiedTable,
  since: RowsRequest['since'] | null,
  { connectionId, dialect }: { connectionId: number; dialect: WarehouseDialect },
): Hash {
  const columns = used.map(column => [column.name, column.type, column.nativeType]);
  return createHash('sha256').update(JSON.stringify([connectionId, dialect, name, columns, since]));
}

/**
 * The cursor value from which a table is read on, if exactly one target reads the table. It may lie before the exact start, because the
 * staging statement applies the exact condition. Null if all rows are needed.
 */
async function sinceOf(
  client: PoolClient,
  { incremental, columns }: CopiedTable,
  { cursorFrom }: CopyOptions,
): Promise<NonNullable<RowsRequest['since']> | null> {
  const from = incremental && cursorFrom(incremental.target);
  if (!from) return null;
  const { cursor, type } = incremental.by;
  const value = await cursorBound(client, type, columns.get(cursor)!.type, from);
  return value === null ? null : { column: cursor, value };
}
