import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { type RowPage, ServicePool } from '../../database/service-pool.js';
import { type StartedBy } from '../../schedules/schedules.worker.js';
import { type CopyProblem, type CopyReport } from './copy-report.js';

/** The number of earlier runs of a copy that are kept in addition to the last one. */
const keptRuns = 20;

export type CopyStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';

export interface CopyRunRow {
  /** The number of the run, counted from 1 within its copy. */
  run: number;
  started_by: StartedBy;
  status: CopyStatus;
  attempt: number;
  report: Partial<CopyReport>;
  error: CopyProblem | null;
  queued_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
}

const columns = 'run, started_by, status, attempt, report, error, queued_at, started_at, finished_at';

/** Stores the earlier runs of copies. The last run is in the row of the copy itself. */
@Injectable()
export class CopyRunsRepository {
  constructor(private readonly pool: ServicePool) {}

  /**
   * Stores a copy's last run, if it has ended, among the earlier runs before the next run overwrites it. The oldest runs beyond `keptRuns`
   * are deleted. The copy's row stays locked until the transaction ends.
   */
  async keep(client: PoolClient, copyId: number): Promise<void> {
    await client.query(
      `INSERT INTO mirror_copy_runs (copy_id, ${columns})
       SELECT id, ${columns} FROM mirror_copies WHERE id = $1 AND status NOT IN ('queued', 'running') FOR UPDATE`,
      [copyId],
    );
    await client.query(
      `DELETE FROM mirror_copy_runs WHERE copy_id = $1
       AND run <= (SELECT run FROM mirror_copy_runs WHERE copy_id = $1 ORDER BY run DESC OFFSET $2 LIMIT 1)`,
      [copyId, keptRuns],
    );
  }

  /** Lists the last run and the earlier runs of a copy, the newest first. */
  async list(copyId: number, before: number | null, limit: number): Promise<RowPage<CopyRunRow>> {
    return this.pool.readPage<CopyRunRow>('rows', {
      text: `SELECT * FROM (SELECT ${columns} FROM mirror_copies WHERE id = $1
                            UNION ALL SELECT ${columns} FROM mirror_copy_runs WHERE copy_id = $1) runs
             WHERE $2::bigint IS NULL OR run < $2::bigint ORDER BY run DESC`,
      values: [copyId, before],
      limit,
      sizeOf: 'octet_length(report::text)',
    });
  }
}
