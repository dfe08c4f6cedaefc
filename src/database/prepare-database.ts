import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Logger } from 'pino';
import { DataSource } from 'typeorm';
import { migrations } from './migrations/migrations.js';
import { requireKnownMigrations } from './migrations/require-known-migrations.js';
import { OrmLog } from './orm-log.js';
import { reportServerBounds } from './report-server-bounds.js';
import { DatabaseAccess, type GivenUrls } from './roles/database-access.js';
import { ensureRoles } from './roles/ensure-roles.js';
import { grantRights } from './roles/grant-rights.js';
import { requireSupportedServer } from './server-version.js';
import { sever } from './sever-connection.js';

/** The number is arbitrary; every instance must use the same one. */
const migrationLock = 7_301_946_201;
const lockTimeoutMs = 60_000;
/** The time to wait for a database that starts at the same time as the service. */
const startPatienceMs = 60_000;
const retryEveryMs = 500;

/**
 * Matches errors of a server that does not run yet or accepts no login yet. Waiting does not help against a refused password or a
 * missing database.
 */
const notThereYet = /^(ECONNREFUSED|ECONNRESET|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|57P0[123]|53300)$/;

/**
 * Brings the database to this release as its owner: the roles of the service, the migrations, and the rights of each role. TypeORM
 * takes no lock of its own (typeorm/typeorm#4588), so instances that start together wait for each other here. It waits for a server
 * that is not there yet, one minute at most.
 * @returns how to reach the database from here on; the owner's URL is not needed any more
 * @throws PostgresTooOldError, DatabaseIsNewerError, RolesMissingError, RoleTooPowerfulError
 */
export async function prepareDatabase(url: string, log?: Logger, given?: GivenUrls): Promise<DatabaseAccess> {
  const access = DatabaseAccess.of(url, given);
  const client = await connect(url, log);
  try {
    await requireSupportedServer(client, log);
    await reportServerBounds(client, log);
    await client.query('SELECT pg_advisory_lock($1)', [migrationLock]);
    await requireKnownMigrations(client);
    const { rows } = await client.query<{ owner: string }>('SELECT current_user::text AS owner');
    await ensureRoles(client, rows[0]!.owner, access, log);
    const logging = log ? { logger: new OrmLog(log) } : {};
    const source = new DataSource({
      type: 'postgres',
      url,
      migrations,
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
    await grantRights(client, access);
    return access;
  } finally {
    await client.end();
  }
}

async function connect(url: string, log: Logger | undefined): Promise<pg.Client> {
  for (let told = false, deadline = Date.now() + startPatienceMs; ; await sleep(retryEveryMs)) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, lock_timeout: lockTimeoutMs });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return client;
    } catch (cause) {
      sever(client);
      const { code, message } = cause as { code?: string; message: string };
      const isWorthWaiting = notThereYet.test(code ?? '') || /timeout expired|Connection terminated/.test(message);
      if (!isWorthWaiting || Date.now() > deadline) throw cause;
      if (!told) log?.warn({ cause, patience_ms: startPatienceMs }, 'The database does not answer yet; waiting for it');
      told = true;
    }
  }
}
