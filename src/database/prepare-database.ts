import { type Logger } from 'pino';
import { DataSource } from 'typeorm';
import { connectWhenReady } from './connect-when-ready.js';
import { migrations } from './migrations/migrations.js';
import { requireKnownMigrations } from './migrations/require-known-migrations.js';
import { OrmLog } from './orm-log.js';
import { reportServerBounds } from './report-server-bounds.js';
import { DatabaseAccess, type GivenUrls } from './roles/database-access.js';
import { ensureRoles } from './roles/ensure-roles.js';
import { grantRights } from './roles/grant-rights.js';
import { requireSupportedServer } from './server-version.js';

/** The key of the advisory lock that migrations and restores hold. The number is arbitrary, but every instance must use the same one. */
export const migrationLock = 7_301_946_201;
const lockTimeoutMs = 60_000;
/**
 * Brings the database to this release, as its owner: the roles of the service, the migrations, and the rights of each role. TypeORM takes
 * no lock of its own (typeorm/typeorm#4588), so instances that start together wait for each other here. Waits one minute at most for a
 * server that does not accept connections yet.
 * @returns how to reach the database from here on; the owner's URL is not needed any more
 * @throws PostgresTooOldError, DatabaseIsNewerError, RolesMissingError, RoleTooPowerfulError
 */
export async function prepareDatabase(url: string, log?: Logger, given?: GivenUrls): Promise<DatabaseAccess> {
  const access = DatabaseAccess.of(url, given);
  const client = await connectWhenReady(url, log, { lock_timeout: lockTimeoutMs });
  try {
    await requireSupportedServer(client, log);
    await reportServerBounds(client, log);
    await client.query('SELECT pg_advisory_lock($1)', [migrationLock]);
    await requireKnownMigrations(client);
    const { rows } = await client.query<{ owner: string }>('SELECT current_user::text AS owner');
    await ensureRoles(client, rows[0]!.owner, access, log);
    await runMigrations(url, migrations, log);
    await grantRights(client, access);
    return access;
  } finally {
    await client.end();
  }
}

/** Runs those `wanted` migrations that were not run on the database yet. The caller holds `migrationLock`. */
export async function runMigrations(url: string, wanted: typeof migrations, log?: Logger): Promise<void> {
  const logging = log ? { logger: new OrmLog(log) } : {};
  const source = new DataSource({
    type: 'postgres',
    url,
    migrations: wanted,
    migrationsTransactionMode: 'each',
    connectTimeoutMS: 10_000,
    ...logging,
  });
  await source.initialize();
  try {
    await source.runMigrations();
  } finally {
    await source.destroy();
  }
}
