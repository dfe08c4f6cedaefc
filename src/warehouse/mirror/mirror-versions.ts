import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { ServicePool } from '../../database/service-pool.js';
import { type CatalogRead } from '../clients/postgres/postgres-catalog.js';

/** The state of the rows of a mirror table. A later state has a greater version, also of a table that was dropped and made again. */
export interface DataVersion {
  version: number;
  changedAt: Date;
}

/**
 * Keeps the versions of the tables of the mirror. They change in the transaction that changes the table, so a reader never sees new
 * rows under an old version.
 */
@Injectable()
export class MirrorVersions {
  constructor(private readonly pool: ServicePool) {}

  /**
   * Reads the versions of tables in one statement. A table that was not made through the service has none.
   * @param read runs it in the transaction of a reader, which then knows the versions of what it sees. Its snapshot must be younger
   * than its locks on the tables (LOCK TABLE … IN ACCESS SHARE MODE takes no snapshot): the rows of a table that was swapped in are
   * visible to older snapshots too.
   */
  async of(
    tables: readonly string[],
    read: CatalogRead = async (sql, parameters) => (await this.pool.query<Record<string, unknown>>(sql, parameters)).rows,
  ): Promise<Map<string, DataVersion>> {
    const sql = `SELECT name, version::text AS version, changed_at AS "changedAt" FROM public.mirror_tables WHERE name = ANY ($1::text[])`;
    const rows = (await read(sql, [tables])) as { name: string; version: string; changedAt: Date | string }[];
    return new Map(rows.map(({ name, version, changedAt }) => [name, { version: Number(version), changedAt: new Date(changedAt) }]));
  }

  /** Call it in the transaction that changes the rows of the table, once it holds a lock on the table. */
  async raise(client: PoolClient, table: string): Promise<DataVersion> {
    // DEFAULT takes the next number once the row is locked, so the last of several changes has the greatest.
    const { rows } = await client.query<{ version: string; changedAt: Date }>(
      `INSERT INTO mirror_tables (name) VALUES ($1)
       ON CONFLICT (name) DO UPDATE SET version = DEFAULT, changed_at = DEFAULT
       RETURNING version, changed_at AS "changedAt"`,
      [table],
    );
    return { version: Number(rows[0]!.version), changedAt: rows[0]!.changedAt };
  }

  /** Call it in the transaction that drops the table. */
  async forget(client: PoolClient, table: string): Promise<void> {
    await client.query('DELETE FROM mirror_tables WHERE name = $1', [table]);
  }
}
