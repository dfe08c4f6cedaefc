import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { type Logger } from 'pino';
import { connectWhenReady } from '../database/connect-when-ready.js';
import { migrations } from '../database/migrations/migrations.js';
import { listAppliedMigrations, requireKnownMigrations } from '../database/migrations/require-known-migrations.js';
import { migrationLock, prepareDatabase, runMigrations } from '../database/prepare-database.js';
import { DatabaseAccess, type GivenUrls } from '../database/roles/database-access.js';
import { ensureRoles } from '../database/roles/ensure-roles.js';
import { requireSupportedServer } from '../database/server-version.js';
import { sever } from '../database/sever-connection.js';
import { quoteTable } from '../sql/quote-identifier.js';
import { BackupDamagedError, ServiceRunsError, TargetNotEmptyError, TooFewLocksError } from './backup.errors.js';
import { BackupReader } from './backup-reader.js';
import { createIndexes, createTable } from './create-table.js';
import { describeTables } from './describe-tables.js';
import { type Manifest, type Summary, type TableDescription } from './manifest.js';
import { type Progress } from './progress.js';
import { columnList, copySettings } from './write-backup.js';

export interface RestoreReport {
  tables: number;
  rows: number;
}

/** Input of a restore: a backup that `BackupReader.check` has read, and the URL of the target database for its owner. */
export interface RestoreOptions {
  file: string;
  checked: { manifest: Manifest; summary: Summary };
  ownerUrl: string;
  given?: GivenUrls;
  log?: Logger;
  progress: Progress;
}

/**
 * Fills an empty database from a backup. The rows are loaded in one transaction: afterwards either all rows are there, or none. A backup of
 * an earlier release is loaded into the tables of that release, which the later migrations then change.
 * @throws TargetNotEmptyError, ServiceRunsError, BackupDamagedError, TooFewLocksError, and the errors of `prepareDatabase`
 */
export async function restoreBackup({ file, checked, ownerUrl, given, log, progress }: RestoreOptions): Promise<RestoreReport> {
  const client = await connectWhenReady(ownerUrl, log);
  try {
    await requireSupportedServer(client, log);
    await requireKnownMigrations(client);
    await requireNobodyElse(client);
    await client.query('SELECT pg_advisory_lock($1)', [migrationLock]);
    const { manifest } = checked;
    await requireEmpty(client, manifest);
    const { rows } = await client.query<{ owner: string }>('SELECT current_user::text AS owner');
    await ensureRoles(client, rows[0]!.owner, DatabaseAccess.of(ownerUrl, given), log);
    await runMigrations(ownerUrl, migrations.slice(0, manifest.migrations.length), log);
    await load(client, file, checked, progress);
    await client.end();
  } catch (error) {
    sever(client);
    throw TooFewLocksError.orSame(error, checked.manifest.tables.length);
  }
  await prepareDatabase(ownerUrl, log, given);
  return { tables: checked.summary.tables.length, rows: checked.summary.tables.reduce((sum, { rows }) => sum + rows, 0) };
}

/** @throws ServiceRunsError while a process of the service is connected */
async function requireNobodyElse(client: pg.ClientBase): Promise<void> {
  const { rowCount } = await client.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'graph-service%' AND pid <> pg_backend_pid()`,
  );
  if (rowCount) throw new ServiceRunsError();
}

/** @throws TargetNotEmptyError for a database with rows, or with tables of another release than the backup's */
async function requireEmpty(client: pg.ClientBase, manifest: Manifest): Promise<void> {
  const applied = await listAppliedMigrations(client);
  // A restore that was interrupted leaves the tables of the backup's release without rows, so it may be repeated.
  const isFromBrokenOff = applied.every((name, index) => name === manifest.migrations[index]);
  if (!isFromBrokenOff) throw new TargetNotEmptyError(`migrations ${applied.slice(manifest.migrations.length).join(', ')}`);
  if (applied.length === 0) {
    const { rows } = await client.query<{ name: string }>(
      `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname IN ('public', 'mirror', 'graph_data') AND c.relkind IN ('r', 'p', 'v', 'm', 'f') LIMIT 1`,
    );
    if (rows[0]) throw new TargetNotEmptyError(rows[0].name);
    return;
  }
  for (const { schema, name } of await describeTables(client)) {
    const table = quoteTable(schema, name);
    if (schema !== 'public' || (await client.query(`SELECT FROM ${table} LIMIT 1`)).rowCount) throw new TargetNotEmptyError(table);
  }
}

async function load(
  client: pg.ClientBase,
  file: string,
  { manifest, summary }: RestoreOptions['checked'],
  progress: Progress,
): Promise<void> {
  await client.query(copySettings);
  await client.query('BEGIN');
  const existing = new Map((await describeTables(client)).map(table => [`${table.schema}.${table.name}`, table]));
  const records = [...existing.values()].filter(({ schema }) => schema === 'public').map(({ name }) => quoteTable('public', name));
  await client.query(`LOCK TABLE ${records.join(', ')} IN ACCESS EXCLUSIVE MODE`);
  await requireEmpty(client, manifest);
  requireSameRecords(file, manifest, [...existing.values()]);
  const reader = await BackupReader.open(file);
  if (JSON.stringify(reader.manifest) !== JSON.stringify(manifest)) throw new BackupDamagedError(file, 'it changed while it was read');
  for (const [index, table] of manifest.tables.entries()) {
    progress.begin(index, manifest.tables.length, `${table.schema}.${table.name}`);
    if (table.schema !== 'public') await client.query(createTable(table));
    const emptyTable = quoteTable(table.schema, table.name);
    const target = client.query(copyFrom(`COPY ${emptyTable} (${columnList(table)}) FROM STDIN`));
    await pipeline(Readable.from(counted(reader.rows(index), progress)), target);
    if (target.rowCount !== summary.tables[index]!.rows) throw new BackupDamagedError(file, `table ${table.name} lacks rows`);
    if (table.schema !== 'public') for (const sql of createIndexes(table)) await client.query(sql);
  }
  await reader.end();
  for (const { schema, name, next } of manifest.sequences)
    await client.query(`ALTER SEQUENCE ${quoteTable(schema, name)} RESTART WITH ${next}`);
  await client.query('COMMIT');
  for (const { schema, name } of manifest.tables) await client.query(`ANALYZE ${quoteTable(schema, name)}`);
}

/** Checks that the backup has exactly the tables of `public` that the migrations have created. @throws BackupDamagedError */
function requireSameRecords(file: string, manifest: Manifest, existing: readonly TableDescription[]): void {
  const describe = (tables: readonly TableDescription[]): string[] =>
    tables.filter(({ schema }) => schema === 'public').map(({ name, columns }) => `${name}(${columns.map(column => column.name).sort().join()})`); // prettier-ignore
  const [held, made] = [new Set(describe(manifest.tables)), new Set(describe(existing))];
  const differing = [...held, ...made].find(each => held.has(each) !== made.has(each));
  if (differing !== undefined) throw new BackupDamagedError(file, `its tables are not those of its release: ${differing}`);
}

async function* counted(pieces: AsyncIterable<Buffer>, progress: Progress): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    progress.add(piece.length);
    yield piece;
  }
}
