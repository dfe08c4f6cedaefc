import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { LeaseLostError, type RunFailure } from '../common/errors/run-failure.js';
import { leaseSeconds } from '../database/leased-worker.js';
import { type RowPage, ServicePool } from '../database/service-pool.js';
import { type StartedBy } from '../schedules/schedules.worker.js';
import { sqlstates, sqlstateOf } from '../sql/sqlstate.js';
import { joined } from '../text/bilingual.js';
import { WebhooksService } from '../webhooks/webhooks.service.js';
import { RunActiveError, RunNotFoundError, TooManyRunsWaitingError } from './ingestion.errors.js';
import { JobsRepository } from './jobs.repository.js';
import { wroteRows } from './run/ownership.js';
import { type PastRun, type ProgressReport } from './run/progress-report.js';
import { type LastSuccess } from './run/repeat-run.js';
import { type RunReport } from './run/run-report.js';
import { jobTarget, runMessage } from './run-message.js';
import { shownCount } from './staging/shown-count.js';

/** The most queued runs of one user, over all jobs. */
const maxWaitingRuns = 20;

export type RunStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';

export interface RunError {
  code: string;
  detail: string;
  context?: Record<string, unknown>;
}

export interface RunRow {
  id: number;
  job_id: number;
  graph_id: number;
  revision: number;
  allow_deletes: boolean;
  retires: boolean;
  started_by: StartedBy;
  full: boolean;
  status: RunStatus;
  phase: string | null;
  attempt: number;
  cancel_requested: boolean;
  /** The report so far; it has a `progress` while the run is active. */
  report: Partial<RunReport> & { progress?: ProgressReport };
  error: RunError | null;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
}

/** Options with which a run is queued. */
export interface RunOptions {
  allowsDeletes: boolean;
  retires: boolean;
  startedBy: StartedBy;
  isFull: boolean;
}

/** A run whose lease a worker holds. */
export interface ClaimedRun {
  id: number;
  jobId: number;
  graphId: number;
  /** The user who asked for the run. The run counts towards this user's share of the workers. 0 if that user has been deleted. */
  userId: number;
  /** The revision of the job's mapping that the run applies. */
  revision: number;
  /** The run may remove more than half of the elements of a label or edge type. */
  allowsDeletes: boolean;
  /** The run ends the job: it removes everything that only this job yields. */
  retires: boolean;
  /** The run does all work, even if it would only repeat the job's last run. */
  isFull: boolean;
  leaseOwner: string;
}

const runRow = `
  SELECT r.id, r.job_id, j.graph_id, r.revision, r.allow_deletes, r.retires, r.is_full AS "full", r.started_by, r.status, r.phase, r.attempt, r.cancel_requested, r.report, r.error,
         r.created_at, r.started_at, r.finished_at
  FROM ingestion_runs r JOIN ingestion_jobs j ON j.id = r.job_id`;

/** The most runs of a job whose reports show a sample of rejected rows. */
const runsWithSample = 10;
const withoutSample = `report || '{"rejected_sample": []}'`;

/** SQL condition that selects a claimed run, as long as the claim still has the run's lease. */
const isHeld = `id = $1 AND lease_owner = $2 AND status = 'running'`;

/**
 * The runs and their states. A run is queued, a worker claims it, and it ends as succeeded, failed or cancelled. A claimed run may go back
 * into the queue. A run whose lease has ended is claimed again, and the worker that lost the lease can no longer change the run.
 */
@Injectable()
export class RunsRepository {
  constructor(
    private readonly pool: ServicePool,
    private readonly jobs: JobsRepository,
    private readonly webhooks: WebhooksService,
  ) {}

  /** @throws RunNotFoundError */
  async get(id: number): Promise<RunRow> {
    const { rows } = await this.pool.query<RunRow>(`${runRow} WHERE r.id = $1`, [id]);
    if (!rows[0]) throw new RunNotFoundError();
    return rows[0];
  }

  /** A page of the job's runs, the newest first. */
  async list(jobId: number, beforeId: number | null, limit: number): Promise<RowPage<RunRow>> {
    return this.pool.readPage<RunRow>('rows', {
      text: `${runRow} WHERE r.job_id = $1 AND ($2::int IS NULL OR r.id < $2) ORDER BY r.id DESC`,
      values: [jobId, beforeId],
      limit,
      sizeOf: `octet_length(report::text) + octet_length(coalesce(error::text, ''))`,
    });
  }

  /** The revision of the job's last success, whose data the graph has. Null if no run of the job has succeeded. */
  async findAppliedRevision(jobId: number): Promise<number | null> {
    const { rows } = await this.pool.query<{ revision: number }>(
      `SELECT revision FROM ingestion_runs WHERE job_id = $1 AND status = 'succeeded' ORDER BY id DESC LIMIT 1`,
      [jobId],
    );
    return rows[0]?.revision ?? null;
  }

  /**
   * Queues a run within a transaction of the caller. The caller must roll the transaction back on every error.
   * @throws RunActiveError when the job has a queued or active run; TooManyRunsWaitingError when the user has as many queued runs as
   * allowed; JobNotFoundError; JobRetiredError
   */
  async queue(
    client: PoolClient,
    jobId: number,
    requestedBy: number,
    { allowsDeletes, retires, isFull, startedBy }: RunOptions,
  ): Promise<number> {
    // Transactions that queue runs of one user wait for each other, so that each counts the runs that the others have queued.
    await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('runs of user ' || $1::int, 0))`, [requestedBy]);
    try {
      const { rows } = await client.query<{ id: number }>(
        `INSERT INTO ingestion_runs (job_id, requested_by, revision, allow_deletes, retires, is_full, started_by)
         SELECT id, $2, revision, $4, $5, $6, $7 FROM ingestion_jobs
         WHERE id = $1 AND retired_at IS NULL AND (SELECT count(*) FROM ingestion_runs WHERE status = 'queued' AND requested_by = $2) < $3
         RETURNING id`,
        [jobId, requestedBy, maxWaitingRuns, allowsDeletes, retires, isFull, startedBy],
      );
      if (rows[0]) return rows[0].id;
    } catch (error) {
      if (sqlstateOf(error) === sqlstates.uniqueViolation) throw new RunActiveError();
      throw error;
    }
    await this.jobs.requireActive(client, jobId);
    throw new TooManyRunsWaitingError(maxWaitingRuns);
  }

  /**
   * Claims the next run; returns null if there is none. Users take turns: first the users with the fewest active runs in all processes, and
   * among these the user whose last run began longest ago.
   * @param full users and graphs that already have as many active runs as allowed
   */
  async claim(full: { users: number[]; graphs: number[] }): Promise<{ claimed: ClaimedRun; attempt: number; isCancelled: boolean } | null> {
    const leaseOwner = randomUUID();
    const { rows } = await this.pool.query<Omit<ClaimedRun, 'leaseOwner'> & { attempt: number; isCancelled: boolean }>(
      `UPDATE ingestion_runs AS run
       SET status = 'running', lease_owner = $1, lease_until = now() + make_interval(secs => $2), attempt = attempt + 1,
           started_at = coalesce(started_at, now()), revision = job.revision
       FROM ingestion_jobs job
       WHERE job.id = run.job_id AND run.id = (
         SELECT r.id FROM ingestion_runs r JOIN ingestion_jobs j ON j.id = r.job_id
         WHERE (r.status = 'queued' OR (r.status = 'running' AND r.lease_until < now()))
           AND coalesce(r.requested_by, 0) <> ALL ($3::int[]) AND j.graph_id <> ALL ($4::int[])
         ORDER BY
           (SELECT count(*) FROM ingestion_runs going
            WHERE going.status = 'running' AND going.lease_until >= now() AND going.requested_by IS NOT DISTINCT FROM r.requested_by),
           (SELECT max(started_at) FROM ingestion_runs past WHERE past.requested_by = r.requested_by) NULLS FIRST,
           r.id
         FOR UPDATE OF r SKIP LOCKED LIMIT 1)
       RETURNING run.id, run.job_id AS "jobId", job.graph_id AS "graphId", coalesce(run.requested_by, 0) AS "userId", run.revision,
                 run.allow_deletes AS "allowsDeletes", run.retires, run.is_full AS "isFull", run.attempt, run.cancel_requested AS "isCancelled"`,
      [leaseOwner, leaseSeconds, full.users, full.graphs],
    );
    if (!rows[0]) return null;
    const { attempt, isCancelled, ...run } = rows[0];
    return { claimed: { ...run, leaseOwner }, attempt, isCancelled };
  }

  /** Renews the lease of a run. @returns whether somebody asked to cancel the run; null when the lease is lost */
  async renewLease({ id, leaseOwner }: ClaimedRun): Promise<{ isCancelled: boolean } | null> {
    const { rows } = await this.pool.query<{ isCancelled: boolean }>(
      `UPDATE ingestion_runs SET lease_until = now() + make_interval(secs => $3)
       WHERE ${isHeld} RETURNING cancel_requested AS "isCancelled"`,
      [id, leaseOwner, leaseSeconds],
    );
    return rows[0] ?? null;
  }

  /** The job's last success, as far as the transaction of `client` sees it. Null without a success. */
  async findLastSuccess(client: PoolClient, jobId: number): Promise<LastSuccess | null> {
    const { rows } = await client.query<LastSuccess>(
      `SELECT id, revision, report FROM ingestion_runs WHERE job_id = $1 AND status = 'succeeded' ORDER BY id DESC LIMIT 1`,
      [jobId],
    );
    return rows[0] ?? null;
  }

  /**
   * The duration and steps of the last success of this revision, without successes that only repeated another run. Null if no such run
   * recorded its steps.
   */
  async findLastSteps(jobId: number, revision: number): Promise<PastRun | null> {
    const { rows } = await this.pool.query<PastRun>(
      `SELECT id, (report ->> 'duration_ms')::int AS "durationMs", report -> 'steps' AS steps FROM ingestion_runs
       WHERE job_id = $1 AND status = 'succeeded' AND revision = $2 AND report ? 'steps' AND NOT report ? 'unchanged_source' ORDER BY id DESC LIMIT 1`,
      [jobId, revision],
    );
    return rows[0] ?? null;
  }

  /** The row count that a statement of the session `pid` publishes under the name `counted`; null if there is none. */
  async findShownCount(pid: number, counted: string): Promise<number | null> {
    const { rows } = await this.pool.query<{ name: string }>('SELECT application_name AS name FROM pg_stat_activity WHERE pid = $1', [pid]);
    return rows[0] ? shownCount(rows[0].name, counted) : null;
  }

  /** Publishes a phase and the counts so far, outside the run's own transactions. @throws LeaseLostError */
  async show({ id, leaseOwner }: ClaimedRun, phase: string, report: RunReport, progress: ProgressReport): Promise<void> {
    const values = [id, leaseOwner, phase, JSON.stringify({ ...report, progress })];
    const { rowCount } = await this.pool.query(`UPDATE ingestion_runs SET phase = $3, report = $4 WHERE ${isHeld}`, values);
    if (rowCount !== 1) throw new LeaseLostError();
  }

  /**
   * Marks the run as succeeded. This is the last statement of the writing transaction, so a worker that has lost its lease commits nothing.
   * @throws LeaseLostError
   */
  async succeed(client: PoolClient, { id, leaseOwner }: ClaimedRun, report: RunReport): Promise<void> {
    const { rowCount } = await client.query(
      `UPDATE ingestion_runs SET status = 'succeeded', phase = NULL, report = $3, finished_at = clock_timestamp(), lease_until = NULL
       WHERE ${isHeld}`,
      [id, leaseOwner, JSON.stringify(report)],
    );
    if (rowCount !== 1) throw new LeaseLostError();
    await this.tell(client, id, null);
  }

  /** Adds to the report of a succeeded run which tables of the graph were analyzed and vacuumed after the run. */
  async addUpkeep(client: PoolClient, { id, leaseOwner }: ClaimedRun, done: { analyzed: string[]; vacuumed: string[] }): Promise<void> {
    await client.query(
      `UPDATE ingestion_runs SET report = report || jsonb_build_object('upkeep', $3::jsonb) WHERE id = $1 AND lease_owner = $2`,
      [id, leaseOwner, JSON.stringify(done)],
    );
  }

  /**
   * Records, in the caller's transaction, the bytes of rejected rows that a run keeps, including those in its report. All runs of jobs with
   * the same creator may keep `mostBytes` together. Only the newest ten runs of the job with rejected rows, this run included, keep the
   * sample in their report.
   * @returns the older runs beyond `mostBytes`, whose rejected rows the caller removes; their bytes count as 0 from now on
   */
  async noteRejectedBytes(client: PoolClient, id: number, bytes: number, mostBytes: number): Promise<number[]> {
    await client.query('UPDATE ingestion_runs SET rejected_bytes = $2 WHERE id = $1', [id, bytes]);
    await client.query(
      `UPDATE ingestion_runs
       SET report = ${withoutSample}, rejected_bytes = greatest(1, rejected_bytes - octet_length((report -> 'rejected_sample')::text))
       WHERE id IN (
         SELECT id FROM ingestion_runs
         WHERE job_id = (SELECT job_id FROM ingestion_runs WHERE id = $1) AND id <> $1 AND rejected_bytes > 0
           AND jsonb_array_length(report -> 'rejected_sample') > 0
         ORDER BY id DESC OFFSET ${runsWithSample - 1})`,
      [id],
    );
    const { rows } = await client.query<{ id: number }>(
      `WITH kept AS (
         SELECT r.id, sum(r.rejected_bytes) OVER (ORDER BY r.id DESC) AS total
         FROM ingestion_runs r JOIN ingestion_jobs j ON j.id = r.job_id
         WHERE r.rejected_bytes > 0 AND j.created_by IS NOT DISTINCT FROM (
           SELECT own.created_by FROM ingestion_runs run JOIN ingestion_jobs own ON own.id = run.job_id WHERE run.id = $1))
       UPDATE ingestion_runs SET rejected_bytes = 0, report = ${withoutSample}
       WHERE id IN (SELECT id FROM kept WHERE total > $2 AND id <> $1) RETURNING id`,
      [id, mostBytes],
    );
    return rows.map(row => row.id);
  }

  /** @param report null keeps the report that was shown last */
  async end(
    { id, leaseOwner }: ClaimedRun,
    status: 'failed' | 'cancelled',
    report: RunReport | null,
    failure: RunFailure | null,
  ): Promise<void> {
    const error: RunError | null = failure && { code: failure.code, detail: joined(failure.text), context: failure.context };
    await this.pool.transaction(async client => {
      const { rowCount } = await client.query(
        `UPDATE ingestion_runs
         SET status = $3, error = $4, report = coalesce($5, report), finished_at = clock_timestamp(), lease_until = NULL
         WHERE ${isHeld}`,
        [id, leaseOwner, status, error && JSON.stringify(error), report && JSON.stringify(report)],
      );
      if (rowCount === 1) await this.tell(client, id, failure);
    });
  }

  /**
   * Puts the run back into the queue. If the run's COMMIT succeeded but its answer was lost, the run stays succeeded.
   * @param returned 1 if the attempt does not count, else 0
   */
  async release({ id, leaseOwner }: ClaimedRun, returned: 0 | 1): Promise<'succeeded' | 'released'> {
    const { rowCount } = await this.pool.query(
      `UPDATE ingestion_runs SET status = 'queued', phase = NULL, lease_owner = NULL, lease_until = NULL, attempt = attempt - $3
       WHERE ${isHeld}`,
      [id, leaseOwner, returned],
    );
    if (rowCount === 1) return 'released';
    const succeeded = "SELECT FROM ingestion_runs WHERE id = $1 AND lease_owner = $2 AND status = 'succeeded'";
    return (await this.pool.query(succeeded, [id, leaseOwner])).rowCount === 1 ? 'succeeded' : 'released';
  }

  /** Ends a queued run at once. An active run ends when its worker sees the request. @returns false when the run has ended already */
  async requestCancel(id: number): Promise<boolean> {
    return this.pool.transaction(async client => {
      const { rows } = await client.query<{ status: RunStatus }>(
        `UPDATE ingestion_runs
         SET cancel_requested = true,
             status = CASE WHEN status = 'queued' THEN 'cancelled' ELSE status END,
             finished_at = CASE WHEN status = 'queued' THEN now() END
         WHERE id = $1 AND status IN ('queued', 'running') RETURNING status`,
        [id],
      );
      if (rows[0]?.status === 'cancelled') await this.tell(client, id, null);
      return rows.length === 1;
    });
  }

  /** Reports the end of a run to the job's webhooks, in the transaction that ends the run. */
  private async tell(client: PoolClient, id: number, failure: RunFailure | null): Promise<void> {
    const { rows } = await client.query<RunRow>(`${runRow} WHERE r.id = $1`, [id]);
    const run = rows[0]!;
    await this.webhooks.tell(client, jobTarget(run.job_id), `run.${run.status}`, run.finished_at!, runMessage(run, failure));
  }

  /**
   * Removes old runs, at most `most`. Nodes and edges name the run that wrote them last, and citations and counts by job need this run at
   * any age. So a run that wrote rows stays as long as its job. The last run and the last success of a job stay too.
   */
  async removeOld(client: PoolClient, keptDays: number, most: number): Promise<number> {
    const { rowCount } = await client.query(
      `DELETE FROM ingestion_runs WHERE id IN (
         SELECT id FROM ingestion_runs r
         WHERE finished_at < now() - make_interval(days => $1)
           AND EXISTS (SELECT FROM ingestion_runs newer WHERE newer.job_id = r.job_id AND newer.id > r.id AND newer.finished_at IS NOT NULL)
           AND (status <> 'succeeded'
                OR (NOT ${wroteRows('r')}
                    AND EXISTS (SELECT FROM ingestion_runs newer
                                WHERE newer.job_id = r.job_id AND newer.id > r.id AND newer.status = 'succeeded')))
         LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [keptDays, most],
    );
    return rowCount ?? 0;
  }
}
