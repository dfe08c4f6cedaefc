import pg from 'pg';
import { DataSource } from 'typeorm';
import { migrations } from './migrations/migrations.js';

/** Any constant serves, as long as every instance takes the same. */
const migrationLock = 7_301_946_201;
const lockTimeoutMs = 60_000;

/**
 * Brings the database to this release: migrations, then the role that reads the mirror and nothing else. TypeORM takes no
 * lock of its own (typeorm/typeorm#4588), so instances that start together wait for each other here.
 */
export async function prepareDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000, lock_timeout: lockTimeoutMs });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [migrationLock]);
    const source = new DataSource({ type: 'postgres', url, migrations, migrationsTransactionMode: 'each' });
    await source.initialize();
    try {
      await source.runMigrations();
    } finally {
      await source.destroy();
    }
    await createMirrorReader(client);
  } finally {
    await client.end();
  }
}

/** Whatever a user's SQL asks for runs as this role; it may read the tables of `mirror` and log in nowhere. */
async function createMirrorReader(client: pg.Client): Promise<void> {
  await client.query(`
    DO $$ BEGIN
      CREATE ROLE graph_mirror_reader NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
    END $$;
    GRANT graph_mirror_reader TO CURRENT_USER;
    GRANT USAGE ON SCHEMA mirror TO graph_mirror_reader;
    GRANT SELECT ON ALL TABLES IN SCHEMA mirror TO graph_mirror_reader;
    ALTER DEFAULT PRIVILEGES IN SCHEMA mirror GRANT SELECT ON TABLES TO graph_mirror_reader;
  `);
}
