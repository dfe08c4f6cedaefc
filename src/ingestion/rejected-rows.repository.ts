import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { type RowPage, ServicePool } from '../database/service-pool.js';
import { type Reason } from './run/run-report.js';

export interface RejectedRow {
  id: string;
  target: string;
  row_no: string;
  source_key: string | null;
  reasons: Reason[];
  sample: Record<string, unknown>;
}

/** Stores the rows that runs have rejected. */
@Injectable()
export class RejectedRowsRepository {
  constructor(private readonly pool: ServicePool) {}

  async list(runId: number, target: string | null, afterId: number, limit: number): Promise<RowPage<RejectedRow>> {
    return this.pool.readPage<RejectedRow>('rows', {
      text: `SELECT id, target, row_no, source_key, reasons, sample FROM ingestion_rejected
             WHERE run_id = $1 AND id > $2 AND ($3::text IS NULL OR target = $3) ORDER BY id`,
      values: [runId, afterId, target],
      limit,
      sizeOf: 'octet_length(reasons::text) + octet_length(sample::text)',
    });
  }

  /** Stores rejected rows in the caller's transaction. `rejected` is the text of a JSON array. */
  async insert(client: PoolClient, runId: number, rejected: string): Promise<void> {
    await client.query(
      `INSERT INTO ingestion_rejected (run_id, target, row_no, source_key, reasons, sample)
       SELECT $1, r.target, r.row_no, r.source_key, r.reasons, r.sample
       FROM jsonb_to_recordset($2::jsonb) AS r(target text, row_no bigint, source_key text, reasons jsonb, sample jsonb)`,
      [runId, rejected],
    );
  }

  /** Removes the rejected rows of runs, in the caller's transaction. */
  async remove(client: PoolClient, runIds: readonly number[]): Promise<void> {
    if (runIds.length > 0) await client.query('DELETE FROM ingestion_rejected WHERE run_id = ANY ($1)', [runIds]);
  }

  async removeOld(client: PoolClient, keptDays: number, most: number): Promise<number> {
    const { rowCount } = await client.query(
      `DELETE FROM ingestion_rejected WHERE (run_id, id) IN (
         SELECT r.run_id, r.id FROM ingestion_runs JOIN ingestion_rejected r ON r.run_id = ingestion_runs.id
         WHERE finished_at < now() - make_interval(days => $1) LIMIT $2 FOR UPDATE OF r SKIP LOCKED)`,
      [keptDays, most],
    );
    return rowCount ?? 0;
  }
}
