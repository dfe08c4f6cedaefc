import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { type Principal } from '../access/principal.js';
import { Quotas } from '../database/quotas.js';
import { ServicePool } from '../database/service-pool.js';
import { JobNotFoundError, RunActiveError, RunNotFoundError, TooManyRunsWaitingError } from './ingestion.errors.js';
import type { Reason, RunReport } from './run/run-report.js';
import { SQLSTATE, sqlstateOf } from '../sql/sqlstate.js';

export interface JobRow {
  id: number;
  graph_id: number;
  connection_id: number;
  connection: string;
  name: string;
  mapping_yaml: string;
  cursors: Record<string, string>;
  /** Whoever saved it, in whose name it reads; null once that user is deleted. */
  saved_by: { id: number; username: string } | null;
  created_at: Date;
  last_run_id: number | null;
  last_run_status: string | null;
}

export type RunStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';

export interface RunRow {
  id: number;
  job_id: number;
  graph_id: number;
  status: RunStatus;
  phase: string | null;
  attempt: number;
  cancel_requested: boolean;
  report: Partial<RunReport>;
  error: { code: string; detail: string; context?: Record<string, unknown> } | null;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
}

export interface RejectedRow {
  id: string;
  target: string;
  row_no: string;
  source_key: string | null;
  reasons: Reason[];
  sample: Record<string, unknown>;
}

const jobRow = `
  SELECT j.id, j.graph_id, j.connection_id, c.name AS connection, j.name, j.mapping_yaml, j.cursors, j.created_at,
         CASE WHEN u.id IS NOT NULL THEN jsonb_build_object('id', u.id, 'username', u.username) END AS saved_by,
         r.id AS last_run_id, r.status AS last_run_status
  FROM ingestion_jobs j
  JOIN warehouse_connections c ON c.id = j.connection_id
  LEFT JOIN users u ON u.id = j.created_by
  LEFT JOIN LATERAL (SELECT id, status FROM ingestion_runs WHERE job_id = j.id ORDER BY id DESC LIMIT 1) r ON true`;

const runRow = `
  SELECT r.id, r.job_id, j.graph_id, r.status, r.phase, r.attempt, r.cancel_requested, r.report, r.error,
         r.created_at, r.started_at, r.finished_at
  FROM ingestion_runs r JOIN ingestion_jobs j ON j.id = r.job_id`;

/** Jobs, their runs, and the rows that runs rejected. */
@Injectable()
export class IngestionRepository {
  constructor(
    private readonly pool: ServicePool,
    private readonly quotas: Quotas,
  ) {}

  /** @throws QuotaReachedError */
  async createJob(job: { graphId: number; connectionId: number; name: string; mappingYaml: string; creator: Principal }): Promise<number> {
    return this.pool.transaction(async client => {
      await this.quotas.ask(client, 'jobs', job.graphId, job.creator);
      const { rows } = await client.query<{ id: number }>(
        `INSERT INTO ingestion_jobs (graph_id, connection_id, name, mapping_yaml, created_by) VALUES ($1, $2, $3, $4, $5) RETURNING id`,
        [job.graphId, job.connectionId, job.name, job.mappingYaml, job.creator.userId],
      );
      return rows[0]!.id;
    });
  }

  /** @throws JobNotFoundError */
  async getJob(id: number): Promise<JobRow> {
    const { rows } = await this.pool.query<JobRow>(`${jobRow} WHERE j.id = $1`, [id]);
    if (!rows[0]) throw new JobNotFoundError();
    return rows[0];
  }

  /** Those of these jobs that belong to the graph. */
  async listJobsByIds(graphId: number, ids: number[]): Promise<JobRow[]> {
    const { rows } = await this.pool.query<JobRow>(`${jobRow} WHERE j.graph_id = $1 AND j.id = ANY ($2::int[])`, [graphId, ids]);
    return rows;
  }

  /** Jobs of the graphs that are visible (null: all of them), or of one of these graphs. */
  async listJobs(visible: number[] | null, graphId: number | null, afterId: number, limit: number): Promise<JobRow[]> {
    const { rows } = await this.pool.query<JobRow>(
      `${jobRow}
       WHERE j.id > $1 AND ($2::int IS NULL OR j.graph_id = $2) AND ($3::int[] IS NULL OR j.graph_id = ANY ($3))
       ORDER BY j.id LIMIT $4`,
      [afterId, graphId, visible, limit],
    );
    return rows;
  }

  /**
   * @throws RunActiveError when a run of the job waits or goes on; TooManyRunsWaitingError when `maxWaiting` runs of the user
   *   wait already; JobNotFoundError
   */
  async queueRun(jobId: number, requestedBy: number, maxWaiting: number): Promise<RunRow> {
    try {
      const id = await this.pool.transaction(async client => {
        // One user's requests come one after the other, so that none is counted too late.
        await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('runs of user ' || $1::int, 0))`, [requestedBy]);
        const { rows } = await client.query<{ id: number }>(
          `INSERT INTO ingestion_runs (job_id, requested_by)
           SELECT id, $2 FROM ingestion_jobs
           WHERE id = $1 AND (SELECT count(*) FROM ingestion_runs WHERE status = 'queued' AND requested_by = $2) < $3
           RETURNING id`,
          [jobId, requestedBy, maxWaiting],
        );
        return rows[0]?.id;
      });
      if (id !== undefined) return await this.getRun(id);
    } catch (error) {
      if (sqlstateOf(error) === SQLSTATE.uniqueViolation) throw new RunActiveError();
      throw error;
    }
    await this.getJob(jobId);
    throw new TooManyRunsWaitingError(maxWaiting);
  }

  /** @throws RunNotFoundError */
  async getRun(id: number): Promise<RunRow> {
    const { rows } = await this.pool.query<RunRow>(`${runRow} WHERE r.id = $1`, [id]);
    if (!rows[0]) throw new RunNotFoundError();
    return rows[0];
  }

  /** The newest first. */
  async listRuns(jobId: number, beforeId: number | null, limit: number): Promise<RunRow[]> {
    const { rows } = await this.pool.query<RunRow>(
      `${runRow} WHERE r.job_id = $1 AND ($2::int IS NULL OR r.id < $2) ORDER BY r.id DESC LIMIT $3`,
      [jobId, beforeId, limit],
    );
    return rows;
  }

  /** A waiting run ends at once, a running one when its worker sees the wish. False when it has ended already. */
  async requestCancel(id: number): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `UPDATE ingestion_runs
       SET cancel_requested = true,
           status = CASE WHEN status = 'queued' THEN 'cancelled' ELSE status END,
           finished_at = CASE WHEN status = 'queued' THEN now() END
       WHERE id = $1 AND status IN ('queued', 'running')`,
      [id],
    );
    return rowCount === 1;
  }

  async listRejected(runId: number, target: string | null, afterId: number, limit: number): Promise<RejectedRow[]> {
    return this.pool.readBounded<RejectedRow>(
      'rows',
      `SELECT id, target, row_no, source_key, reasons, sample FROM ingestion_rejected
       WHERE run_id = $1 AND id > $2 AND ($3::text IS NULL OR target = $3) ORDER BY id LIMIT $4`,
      [runId, afterId, target, limit],
    );
  }

  /** Inside the transaction of the caller. `rejected` is a JSON array. */
  async insertRejected(client: PoolClient, runId: number, rejected: string): Promise<void> {
    await client.query(
      `INSERT INTO ingestion_rejected (run_id, target, row_no, source_key, reasons, sample)
       SELECT $1, r.target, r.row_no, r.source_key, r.reasons, r.sample
       FROM jsonb_to_recordset($2::jsonb) AS r(target text, row_no bigint, source_key text, reasons jsonb, sample jsonb)`,
      [runId, rejected],
    );
  }

  async removeOldRejected(client: PoolClient, keptDays: number, most: number): Promise<number> {
    const { rowCount } = await client.query(
      `DELETE FROM ingestion_rejected WHERE (run_id, id) IN (
         SELECT r.run_id, r.id FROM ingestion_runs JOIN ingestion_rejected r ON r.run_id = ingestion_runs.id
         WHERE finished_at < now() - make_interval(days => $1) LIMIT $2 FOR UPDATE OF r SKIP LOCKED)`,
      [keptDays, most],
    );
    return rowCount ?? 0;
  }

  /**
   * What is in a graph names the run that wrote it last, however old: citations and counts by job rest on that, so that runs which wrote
   * rows stay as long as their job, and so do its last run and its last success.
   */
  async removeOldRuns(client: PoolClient, keptDays: number, most: number): Promise<number> {
    const { rowCount } = await client.query(
      `DELETE FROM ingestion_runs WHERE id IN (
         SELECT id FROM ingestion_runs r
         WHERE finished_at < now() - make_interval(days => $1)
           AND EXISTS (SELECT FROM ingestion_runs newer WHERE newer.job_id = r.job_id AND newer.id > r.id AND newer.finished_at IS NOT NULL)
           AND (status <> 'succeeded'
                OR ((report #>> '{totals,inserted}')::bigint + (report #>> '{totals,updated}')::bigint = 0
                    AND EXISTS (SELECT FROM ingestion_runs newer
                                WHERE newer.job_id = r.job_id AND newer.id > r.id AND newer.status = 'succeeded')))
         LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [keptDays, most],
    );
    return rowCount ?? 0;
  }
}
