import { Injectable } from '@nestjs/common';
import { ServicePool } from '../../database/service-pool.js';
import { type TableColumn, type TableDescription, type TableKey, type TableSummary } from '../clients/warehouse.client.js';
import { shortTypeName } from './wire-types.js';

export const mirrorSchema = 'mirror';

const isMirrorTable = `relnamespace = '${mirrorSchema}'::regnamespace AND relkind IN ('r', 'p')`;

/** Rows as of the last analysis, which follows every upload. */
const size = 'greatest(reltuples, 0)::bigint AS row_estimate, pg_total_relation_size(oid) AS bytes';

/** The tables of the mirror, as PostgreSQL's catalogue knows them. */
@Injectable()
export class MirrorCatalog {
  constructor(private readonly pool: ServicePool) {}

  async listNames(): Promise<string[]> {
    const { rows } = await this.pool.query<{ name: string }>(
      `SELECT relname::text AS name FROM pg_class WHERE ${isMirrorTable} ORDER BY relname COLLATE "C"`,
    );
    return rows.map(row => row.name);
  }

  async list(after: string, limit: number): Promise<TableSummary[]> {
    const { rows } = await this.pool.query<{ name: string; row_estimate: string; bytes: string; columns: number }>(
      `SELECT relname::text AS name, ${size},
         (SELECT count(*)::int FROM pg_attribute WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped) AS columns
       FROM pg_class
       WHERE ${isMirrorTable} AND relname::text COLLATE "C" > $1
       ORDER BY relname::text COLLATE "C"
       LIMIT $2`,
      [after, limit],
    );
    return rows.map(row => ({ name: row.name, rowEstimate: Number(row.row_estimate), bytes: Number(row.bytes), columnCount: row.columns }));
  }

  async describe(table: string): Promise<TableDescription | null> {
    const { rows } = await this.pool.query<{ row_estimate: string; bytes: string; columns: TableColumn[]; keys: TableKey[] }>(
      `SELECT ${size},
         (SELECT coalesce(jsonb_agg(jsonb_build_object(
              'name', attname, 'type', format_type(atttypid, atttypmod), 'nullable', NOT attnotnull) ORDER BY attnum), '[]')
          FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped) AS columns,
         (SELECT coalesce(jsonb_agg(jsonb_build_object('primary', i.indisprimary, 'columns', ARRAY(
              SELECT a.attname::text FROM unnest(i.indkey::int[]) WITH ORDINALITY AS k (attnum, position)
              JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum ORDER BY k.position)) ORDER BY i.indisprimary DESC, i.indexrelid), '[]')
          FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique) AS keys
       FROM pg_class c
       WHERE ${isMirrorTable} AND relname::text = $1`,
      [table],
    );
    const row = rows[0];
    if (!row) return null;
    const columns = row.columns.map(column => ({ ...column, type: shortTypeName(column.type) }));
    return {
      name: table,
      rowEstimate: Number(row.row_estimate),
      bytes: Number(row.bytes),
      columnCount: columns.length,
      columns,
      keys: row.keys,
    };
  }
}
