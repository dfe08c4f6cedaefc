import { Injectable } from '@nestjs/common';
import { ServicePool } from '../../database/service-pool.js';
import { type TableDescription, type TableSummary } from '../clients/warehouse.client.js';
import { shortTypeName } from './wire-types.js';
import { mirrorSchema } from './mirror-schema.js';

const isMirrorTable = `relnamespace = '${mirrorSchema}'::regnamespace AND relkind IN ('r', 'p')`;

/** Rows are counted by the last analysis, which follows every upload. Reading the size waits for a lock on the table. */
const summary = `
  SELECT relname::text AS name, greatest(reltuples, 0)::bigint AS "rowEstimate", pg_total_relation_size(oid) AS bytes,
    (SELECT count(*)::int FROM pg_attribute WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped) AS "columnCount"
  FROM pg_class
  WHERE ${isMirrorTable}`;

/** The tables of the mirror, read from PostgreSQL's catalogue. */
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
    const order = 'relname::text COLLATE "C"';
    const { rows } = await this.pool.query<SummaryRow>(`${summary} AND ${order} > $1 ORDER BY ${order} LIMIT $2`, [after, limit]);
    return rows.map(toSummary);
  }

  async find(table: string): Promise<TableSummary | null> {
    const { rows } = await this.pool.query<SummaryRow>(`${summary} AND relname::text = $1`, [table]);
    return rows[0] ? toSummary(rows[0]) : null;
  }

  async describe(table: string): Promise<TableDescription | null> {
    const { rows } = await this.pool.query<TableDescription>(
      `SELECT (SELECT coalesce(jsonb_agg(jsonb_build_object(
                 'name', attname, 'type', format_type(atttypid, atttypmod), 'nullable', NOT attnotnull) ORDER BY attnum), '[]')
               FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped) AS columns,
              (SELECT coalesce(jsonb_agg(jsonb_build_object('primary', i.indisprimary, 'columns', ARRAY(
                   SELECT a.attname::text FROM unnest(i.indkey::int[]) WITH ORDINALITY AS k (attnum, position)
                   JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum
                   WHERE k.position <= i.indnkeyatts ORDER BY k.position))
                 ORDER BY i.indisprimary DESC, i.indexrelid), '[]')
               FROM pg_index i
               WHERE i.indrelid = c.oid AND i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL) AS keys
       FROM pg_class c
       WHERE ${isMirrorTable} AND relname::text = $1`,
      [table],
    );
    const [found] = rows;
    return found ? { ...found, columns: found.columns.map(column => ({ ...column, type: shortTypeName(column.type) })) } : null;
  }
}

/** As the driver reads it, with bigint as text. */
type SummaryRow = Omit<TableSummary, 'rowEstimate' | 'bytes'> & { rowEstimate: string; bytes: string };

function toSummary(row: SummaryRow): TableSummary {
  return { ...row, rowEstimate: Number(row.rowEstimate), bytes: Number(row.bytes) };
}
