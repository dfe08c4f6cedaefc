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

/** Search path of SQL on copies. With any other path the name of a type could mean one of the service's own. */
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
  /** The role that the mapping's SQL runs as. It may read the copies. */
  reader: string;
  timeoutMs: number;
  limits: CopyLimits;
  /** Ends the copying, and the source's work for it. */
  signal: AbortSignal;
  /** The place from which the target of that name reads on. */
  cursorFrom: (target: string) => CursorFrom | null;
  progress: RunProgress;
}

/**
 * Copies tables into temporary ones of this session, in one transaction. `report` counts them meanwhile. Returns for each table a
 * digest of its rows, in their order, and of what decides their meaning.
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
    // The source has limits of its own. This side only waits for it.
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
  // queryMode keeps the text to one statement. The driver knows it but its declarations do not, so the type adds it.
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

/** Begins a digest with all that decides the statement at the source and the meaning of its bytes, but for the release. */
function digestOf(
  { name, used }: CopiedTable,
  since: RowsRequest['since'] | null,
  { connectionId, dialect }: { connectionId: number; dialect: WarehouseDialect },
): Hash {
  const columns = used.map(column => [column.name, column.type, column.nativeType]);
  return createHash('sha256').update(JSON.stringify([connectionId, dialect, name, columns, since]));
}

/** The place from which the only reader of a table reads on. The run's own statement checks it again, exactly. */
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
