import { Injectable } from '@nestjs/common';
import { quoteIdentifier } from '../../sql/quote-identifier.js';
import { ServicePool } from '../../database/service-pool.js';
import { TableBusyError } from '../warehouse.errors.js';
import { shortTypeName } from './wire-types.js';
import { SQLSTATE, sqlstateOf } from '../../sql/sqlstate.js';

export interface MirrorTable {
  name: string;
  /** Rows as of the last analysis, which follows every upload. */
  rowEstimate: number;
  bytes: number;
  columnCount: number;
}

export interface MirrorColumn {
  name: string;
  type: string;
  nullable: boolean;
}

/** The tables of schema `mirror`, as PostgreSQL's catalogue knows them. */
@Injectable()
export class MirrorCatalog {
  constructor(private readonly pool: ServicePool) {}

  async listNames(): Promise<string[]> {
    const { rows } = await this.pool.query<{ name: string }>(
      `SELECT relname::text AS name FROM pg_class
       WHERE relnamespace = 'mirror'::regnamespace AND relkind IN ('r', 'p')
       ORDER BY relname COLLATE "C"`,
    );
    return rows.map(row => row.name);
  }

  /** Tables after `after` in the order of their names' bytes. */
  async list(after: string, limit: number): Promise<MirrorTable[]> {
    const { rows } = await this.pool.query<{ name: string; row_estimate: string; bytes: string; columns: number }>(
      `SELECT relname::text AS name, greatest(reltuples, 0)::bigint AS row_estimate, pg_total_relation_size(oid) AS bytes,
         (SELECT count(*)::int FROM pg_attribute WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped) AS columns
       FROM pg_class
       WHERE relnamespace = 'mirror'::regnamespace AND relkind IN ('r', 'p') AND relname::text COLLATE "C" > $1
       ORDER BY relname::text COLLATE "C"
       LIMIT $2`,
      [after, limit],
    );
    return rows.map(row => ({ name: row.name, rowEstimate: Number(row.row_estimate), bytes: Number(row.bytes), columnCount: row.columns }));
  }

  async find(table: string): Promise<MirrorTable | null> {
    const { rows } = await this.pool.query<{ row_estimate: string; bytes: string; columns: number }>(
      `SELECT greatest(reltuples, 0)::bigint AS row_estimate, pg_total_relation_size(oid) AS bytes, relnatts::int AS columns
       FROM pg_class
       WHERE relnamespace = 'mirror'::regnamespace AND relkind IN ('r', 'p') AND relname::text = $1`,
      [table],
    );
    const row = rows[0];
    return row ? { name: table, rowEstimate: Number(row.row_estimate), bytes: Number(row.bytes), columnCount: row.columns } : null;
  }

  /** Columns in their order; null where the mirror has no such table. */
  async findColumns(table: string): Promise<MirrorColumn[] | null> {
    const { rows } = await this.pool.query<{ name: string | null; type: string; nullable: boolean }>(
      `SELECT a.attname::text AS name, format_type(a.atttypid, a.atttypmod) AS type, NOT a.attnotnull AS nullable
       FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
       WHERE c.relnamespace = 'mirror'::regnamespace AND c.relkind IN ('r', 'p') AND c.relname::text = $1
       ORDER BY a.attnum`,
      [table],
    );
    if (rows.length === 0) return null;
    return rows.flatMap(row => (row.name === null ? [] : [{ name: row.name, type: shortTypeName(row.type), nullable: row.nullable }]));
  }

  /** Column lists of the table's primary and unique keys. */
  async listKeys(table: string): Promise<{ primary: boolean; columns: string[] }[]> {
    const { rows } = await this.pool.query<{ primary: boolean; columns: string[] }>(
      `SELECT i.indisprimary AS primary, array_agg(a.attname::text ORDER BY k.position) AS columns
       FROM pg_class c
         JOIN pg_index i ON i.indrelid = c.oid AND i.indisunique
         CROSS JOIN LATERAL unnest(i.indkey::int[]) WITH ORDINALITY AS k(attnum, position)
         JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum
       WHERE c.relnamespace = 'mirror'::regnamespace AND c.relname::text = $1
       GROUP BY i.indexrelid, i.indisprimary
       ORDER BY i.indisprimary DESC, i.indexrelid`,
      [table],
    );
    return rows;
  }

  /** False where the mirror has no such table. @throws TableBusyError */
  async drop(table: string): Promise<boolean> {
    if ((await this.findColumns(table)) === null) return false;
    try {
      await this.pool.query(`DROP TABLE IF EXISTS mirror.${quoteIdentifier(table)}`);
    } catch (error) {
      if (sqlstateOf(error) === SQLSTATE.lockNotAvailable) throw new TableBusyError();
      throw error;
    }
    return true;
  }
}
