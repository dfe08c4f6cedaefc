import { existsSync } from 'node:fs';
import type pg from 'pg';
import { type Logger } from 'pino';
import { type Settings } from '../config/settings.js';
import { connectWhenReady } from '../database/connect-when-ready.js';
import { openDataDirectory } from '../database/embedded/data-directory.js';
import { DataDirectoryInUseError } from '../database/embedded/directory-lock.js';
import { databaseUrl, embeddedDatabase, EmbeddedPostgres, holdsCluster } from '../database/embedded/embedded-postgres.js';
import { ForeignServerError } from '../database/embedded/former-server.js';
import { prepareServer } from '../database/roles/prepare-server.js';
import { NothingToBackUpError } from './backup.errors.js';

/**
 * Locks that a restore needs for each table: until its end it locks its new tables, their indexes and their TOAST tables, some ten locks a
 * table.
 */
const locksPerTable = 10;
const serverConnections = 100;
const ordinaryLocks = 256;

/** Connects to the service's database to read it. An embedded server that is not running is started; its `close` stops it. */
export async function openSource(settings: Settings, log: Logger): Promise<{ client: pg.Client; server: EmbeddedPostgres | undefined }> {
  if (settings.databaseUrl !== undefined) return { client: await connectWhenReady(settings.databaseUrl, log), server: undefined };
  if (!existsSync(settings.dataDirectory)) throw new NothingToBackUpError(settings.dataDirectory);
  const directory = await openDataDirectory(settings.dataDirectory);
  if (!holdsCluster(directory)) throw new NothingToBackUpError(directory);
  let server: EmbeddedPostgres | undefined;
  try {
    server = await EmbeddedPostgres.start({ dataDirectory: directory });
  } catch (error) {
    if (!(error instanceof DataDirectoryInUseError || error instanceof ForeignServerError)) throw error;
  }
  const url = databaseUrl(server?.url ?? (await EmbeddedPostgres.urlOf(directory)), embeddedDatabase);
  try {
    return { client: await connectWhenReady(url, log), server };
  } catch (error) {
    await server?.stop();
    throw error;
  }
}

/**
 * Opens the database to restore into. @returns the URL with which the owner of the database connects, and the embedded server that was
 * started for it
 */
export async function openTarget(
  { databaseUrl: url, dataDirectory }: Settings,
  tables: number,
): Promise<{ ownerUrl: string; server: EmbeddedPostgres | undefined }> {
  if (url !== undefined) return { ownerUrl: url, server: undefined };
  const directory = await openDataDirectory(dataDirectory);
  const locks = Math.max(ordinaryLocks, Math.ceil((tables * locksPerTable) / serverConnections));
  const server = await EmbeddedPostgres.start({ dataDirectory: directory, settings: { max_locks_per_transaction: String(locks) } });
  try {
    return { ownerUrl: await prepareServer(server, embeddedDatabase), server };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
