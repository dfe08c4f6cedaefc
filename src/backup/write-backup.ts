import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { version } from '../config/version.js';
import { listAppliedMigrations, requireKnownMigrations } from '../database/migrations/require-known-migrations.js';
import { inLockOrder, quoteIdentifier, quoteTable } from '../sql/quote-identifier.js';
import { sqlstateOf, sqlstates } from '../sql/sqlstate.js';
import { tarEnd, tarEntry } from './archive.js';
import {
  BackupFileUnusableError,
  NothingToBackUpError,
  TablesKeepChangingError,
  TablesUnreadableError,
  TooFewLocksError,
} from './backup.errors.js';
import { entryName, manifestName, summaryName } from './backup-reader.js';
import { describeTables, type FoundTable, listLeftOut, listTables, readSequences } from './describe-tables.js';
import { formatVersion, type Manifest, type Summary, type TableDescription } from './manifest.js';
import { type Progress } from './progress.js';

const chunkBytes = 1024 * 1024;
const gzipLevel = 4;
const tablesPerLock = 500;
const snapshotAttempts = 20;
const ownSuffix = randomBytes(4).toString('hex');

/** Session settings of a backup and of a restore, so that the text of a row means the same to every server. */
export const copySettings = `
  SET client_encoding = 'UTF8'; SET datestyle = 'ISO, YMD'; SET intervalstyle = 'postgres'; SET timezone = 'UTC'; SET bytea_output = 'hex';
  SET extra_float_digits = 1; SET search_path = ''; SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0`;

export interface BackupReport {
  tables: number;
  rows: number;
  bytes: number;
  /** Names of objects that no backup contains, such as views and types. */
  leftOut: string[];
}

/**
 * Writes all data that the service keeps in the database to a new file. The file shows the data at one moment, while the service goes on
 * working. It appears under its name when it is complete, and only its owner may read it, because it holds the hashes of passwords.
 * @throws BackupFileUnusableError, NothingToBackUpError, DatabaseIsNewerError, TablesKeepChangingError, TablesUnreadableError,
 * TooFewLocksError
 */
export async function writeBackup(client: pg.ClientBase, file: string, progress: Progress): Promise<BackupReport> {
  if (existsSync(file)) throw new BackupFileUnusableError(file, Object.assign(new Error(), { code: 'EEXIST' }));
  const partial = partialName(file);
  await createEmpty(partial, file);
  try {
    if ((await listAppliedMigrations(client)).length === 0) throw new NothingToBackUpError('DATABASE_URL');
    await requireKnownMigrations(client);
    await client.query(copySettings);
    const tables = await openSnapshot(client);
    const leftOut = await listLeftOut(client);
    const summary: Summary = { manifest_sha256: '', tables: [] };
    const output = createWriteStream(partial, { flags: 'r+', flush: true });
    output.on('error', (error: NodeJS.ErrnoException) => Object.assign(error, { isOutput: true }));
    await pipeline(Readable.from(archive(client, tables, summary, progress)), createGzip({ level: gzipLevel }), output);
    await client.query('COMMIT');
    // An empty file reserves the name first: the rename alone would replace a file that another process has created in the meantime.
    await createEmpty(file, file);
    await rename(partial, file);
    const { size } = await stat(file);
    return { tables: tables.length, rows: summary.tables.reduce((sum, { rows }) => sum + rows, 0), bytes: size, leftOut };
  } catch (error) {
    await rm(partial, { force: true });
    if ((error as { isOutput?: true }).isOutput) throw new BackupFileUnusableError(file, error as NodeJS.ErrnoException);
    throw error;
  }
}

/** The name of a backup file until it is complete. No other process uses this name. */
export function partialName(file: string): string {
  return `${file}.${ownSuffix}.part`;
}

async function createEmpty(name: string, file: string): Promise<void> {
  const handle = await open(name, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new BackupFileUnusableError(file, error);
  });
  await handle.close();
}

/**
 * Begins a transaction that sees all tables at one moment. PostgreSQL fixes this moment at the first query after the locks. A table that is
 * created or replaced between the list of names and the locks would look empty in the transaction, so everything then begins anew. Only
 * names are read before the locks: describing all tables takes so long that a table replaced every second would be replaced again each
 * time.
 */
async function openSnapshot(client: pg.ClientBase): Promise<FoundTable[]> {
  for (let attempt = 0; attempt < snapshotAttempts; attempt++) {
    if (attempt > 0) await sleep(50 * attempt);
    const wanted = await listTables(client);
    const unreadable = wanted.filter(({ isReadable }) => !isReadable);
    if (unreadable.length > 0) throw new TablesUnreadableError(unreadable, await currentUser(client));
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    try {
      const names = inLockOrder(wanted.map(({ schema, name }) => quoteTable(schema, name)));
      for (let at = 0; at < names.length; at += tablesPerLock) {
        await client.query(`LOCK TABLE ${names.slice(at, at + tablesPerLock).join(', ')} IN ACCESS SHARE MODE`);
      }
      const seen = await listTables(client);
      if (JSON.stringify(seen) === JSON.stringify(wanted)) return await describeTables(client);
    } catch (error) {
      if (sqlstateOf(error) !== sqlstates.undefinedTable) throw TooFewLocksError.orSame(error, wanted.length);
    }
    await client.query('ROLLBACK');
  }
  throw new TablesKeepChangingError();
}

async function currentUser(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ name: string }>('SELECT current_user::text AS name');
  return rows[0]!.name;
}

async function* archive(client: pg.ClientBase, tables: FoundTable[], summary: Summary, progress: Progress): AsyncGenerator<Buffer> {
  const manifest = Buffer.from(JSON.stringify(await describe(client, tables)));
  summary.manifest_sha256 = createHash('sha256').update(manifest).digest('hex');
  yield* tarEntry({ name: manifestName, body: manifest });
  for (const [index, table] of tables.entries()) {
    progress.begin(index, tables.length, `${table.schema}.${table.name}`);
    const hash = createHash('sha256');
    const rows = client.query(copyTo(`COPY (SELECT ${columnList(table)} FROM ${quoteTable(table.schema, table.name)}) TO STDOUT`));
    let [bytes, entries] = [0, 0];
    for await (const body of inChunks(rows)) {
      hash.update(body);
      bytes += body.length;
      progress.add(body.length);
      yield* tarEntry({ name: entryName(index, entries++), body });
    }
    summary.tables.push({ rows: rows.rowCount, bytes, sha256: hash.digest('hex') });
  }
  yield* tarEntry({ name: summaryName, body: Buffer.from(JSON.stringify(summary)) });
  yield tarEnd;
}

async function describe(client: pg.ClientBase, tables: FoundTable[]): Promise<Manifest> {
  const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
  return {
    kind: 'graph-service backup',
    format: formatVersion,
    release: version,
    created_at: new Date().toISOString(),
    server_version: rows[0]!.server_version,
    migrations: await listAppliedMigrations(client),
    tables: tables.map(({ schema, name, comment, columns, indexes }) => ({ schema, name, comment, columns, indexes })),
    sequences: await readSequences(client),
  };
}

export function columnList({ columns }: TableDescription): string {
  return columns.map(({ name }) => quoteIdentifier(name)).join(', ');
}

async function* inChunks(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let bytes = 0;
  for await (const piece of source) {
    for (let at = 0; at < piece.length; at += chunkBytes) {
      const part = piece.subarray(at, at + chunkBytes);
      held.push(part);
      bytes += part.length;
      if (bytes < chunkBytes) continue;
      yield Buffer.concat(held);
      [held, bytes] = [[], 0];
    }
  }
  if (bytes > 0) yield Buffer.concat(held);
}
