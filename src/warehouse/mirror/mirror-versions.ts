import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { Settings } from '../../config/settings.js';
import { Quotas } from '../../database/quotas.js';
import { ServicePool } from '../../database/service-pool.js';
import { type StorageRoom } from '../../database/storage-room.js';
import { quoteTable } from '../../sql/quote-identifier.js';
import { type CatalogRead, readOn } from '../clients/postgres/postgres-catalog.js';
import { mirrorRoom, type MirrorUse } from './mirror-room.js';
import { mirrorSchema } from './mirror-schema.js';

/** Estimated bytes that PostgreSQL's catalogue needs for a table, and for each of its columns with statistics. */
const [bytesOfTable, bytesOfColumn] = [16_384, 1_024];

/**
 * Maximum time in ms that `requireRoom` waits for other loads. Each of them needs only a moment from this check to the end of its
 * transaction.
 */
const waitForOthersMs = 60_000;

/**
 * The state of the rows of a mirror table. A later state has a greater version, even if the table was dropped and created again in between.
 */
export interface DataVersion {
  version: number;
  changedAt: Date;
}

/**
 * Reads the versions of tables in one statement. A table that was not loaded through the service has no version.
 * @param read runs the statement in a reader's own transaction, so that the versions belong to the rows that the reader sees. The reader
 *   locks the tables before it takes its snapshot (LOCK TABLE … IN ACCESS SHARE MODE takes none). With an older snapshot it would see the
 *   old version, but already the rows of a replaced table: COPY with FREEZE makes them visible to older snapshots too.
 */
export async function dataVersions(tables: readonly string[], read: CatalogRead): Promise<Map<string, DataVersion>> {
  const sql = `SELECT name, version::text AS version, changed_at AS "changedAt" FROM public.mirror_tables WHERE name = ANY ($1::text[])`;
  const rows = (await read(sql, [tables])) as { name: string; version: string; changedAt: Date | string }[];
  return new Map(rows.map(({ name, version, changedAt }) => [name, { version: Number(version), changedAt: new Date(changedAt) }]));
}

/**
 * Keeps the version and size of each mirror table, and the user who loaded it last. These facts change in the transaction that changes the
 * table, so a reader never sees new rows under an old version.
 */
@Injectable()
export class MirrorVersions {
  constructor(
    private readonly pool: ServicePool,
    private readonly settings: Settings,
    private readonly quotas: Quotas,
  ) {}

  /** The current versions of tables, see `dataVersions`. */
  of(tables: readonly string[]): Promise<Map<string, DataVersion>> {
    return dataVersions(tables, readOn(this.pool));
  }

  /**
   * Raises the version of a table. Call this method in the transaction that changes the table's rows, once it holds a lock on the table.
   * @param userId the user who loads the table, and whose quota the table counts against from then on
   * @throws QuotaReachedError if the table did not count against the user yet, and the user already has the allowed number of tables
   */
  async raise(client: PoolClient, table: string, userId: number): Promise<DataVersion> {
    const { rows: users } = await client.query<{ hasTable: boolean; isAdmin: boolean }>(
      `SELECT EXISTS (SELECT FROM mirror_tables WHERE name = $1 AND loaded_by = $2) AS "hasTable",
              coalesce((SELECT is_admin FROM users WHERE id = $2), false) AS "isAdmin"`,
      [table, userId],
    );
    if (!users[0]!.hasTable) await this.quotas.ask(client, 'tables', userId, users[0]!);
    // DEFAULT takes the next number of the sequence after the row is locked, so the last of several changes has the greatest version.
    const { rows } = await client.query<{ version: string; changedAt: Date }>(
      `INSERT INTO mirror_tables (name, loaded_by, bytes) VALUES ($1, $2, pg_total_relation_size($3::regclass) + $4 + $5 *
         (SELECT count(*) FROM pg_attribute WHERE attrelid = $3::regclass AND attnum > 0 AND NOT attisdropped))
       ON CONFLICT (name) DO UPDATE SET version = DEFAULT, changed_at = DEFAULT, loaded_by = excluded.loaded_by, bytes = excluded.bytes
       RETURNING version, changed_at AS "changedAt"`,
      [table, userId, quoteTable(mirrorSchema, table), bytesOfTable, bytesOfColumn],
    );
    return { version: Number(rows[0]!.version), changedAt: rows[0]!.changedAt };
  }

  /** The bytes that a load may add, computed before the load begins. Other loads may use them up meanwhile. */
  async roomFor(userId: number, tables: readonly string[]): Promise<StorageRoom> {
    return mirrorRoom(await this.use(this.pool, userId, tables), this.settings);
  }

  /**
   * Checks that the room for the load is not exceeded. Call this method last in the transaction that has raised the versions of the tables:
   * from here to the end of the transaction, loads wait for each other.
   * @throws StorageFullError
   */
  async requireRoom(client: PoolClient, userId: number, tables: readonly string[]): Promise<void> {
    await client.query(`SET LOCAL lock_timeout = ${waitForOthersMs}`);
    await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('room of the mirror', 0))`);
    const use = await this.use(client, userId, tables);
    mirrorRoom(use, this.settings).require(use.these);
  }

  private async use(client: Pick<PoolClient, 'query'>, userId: number, tables: readonly string[]): Promise<MirrorUse> {
    const { rows } = await client.query<MirrorUse>(
      `SELECT coalesce(sum(bytes) FILTER (WHERE is_one), 0)::float8 AS these,
              coalesce(sum(bytes) FILTER (WHERE NOT is_one AND loaded_by = $1), 0)::float8 AS own,
              coalesce(sum(bytes) FILTER (WHERE NOT is_one), 0)::float8 AS all,
              coalesce((SELECT is_admin FROM users WHERE id = $1), false) AS "isAdmin"
       FROM (SELECT bytes, loaded_by, name = ANY ($2::text[]) AS is_one FROM mirror_tables) AS tables`,
      [userId, tables],
    );
    return rows[0]!;
  }

  /** Forgets the version of a table. Call this method in the transaction that drops the table. */
  async forget(client: PoolClient, table: string): Promise<void> {
    await client.query('DELETE FROM mirror_tables WHERE name = $1', [table]);
  }
}
