import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOG } from '../common/logging/log.js';
import { Settings } from '../config/settings.js';
import { ServicePool } from '../database/service-pool.js';
import { Telemetry } from '../telemetry/telemetry.service.js';
import { type ClaimedRun, IngestionRunner } from './ingestion-runner.service.js';
import { isDatabaseAway, LeaseLostError, RunFailure, toFailure, tooManyAttempts } from './run/run-failure.js';
import type { RunReport } from './run/run-report.js';
import type { Upkeep } from './run/table-upkeep.js';

const pollEveryMs = 1_000;
const heartbeatEveryMs = 2_000;
/** A worker that was silent for this long has lost its runs to whoever asks next. */
const leaseSeconds = 30;
const maxAttempts = 3;
const maxConcurrentRuns = 2;
/** Of the places here, for one user and for one graph: whoever comes next finds one, however long those runs take. */
const maxRunsOfOne = Math.max(1, maxConcurrentRuns - 1);
const interruptEveryMs = 100;
const repeatWriteEveryMs = 200;

interface ActiveRun {
  claimed: ClaimedRun & Requester;
  backendPid: number | null;
  isCancelled: boolean;
  /** The run itself is over, and its lease with it; the upkeep of its tables goes on. */
  hasSucceeded: boolean;
  ended: Promise<void>;
}

/** Whose share of the places a run takes; 0 for users who have been deleted. */
interface Requester {
  userId: number;
  graphId: number;
}

/** Takes waiting runs and runs whose worker has gone, users in turn, and keeps the lease on them while it works. */
@Injectable()
export class IngestionWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly active = new Set<ActiveRun>();
  private timers: NodeJS.Timeout[] = [];
  private isStopping = false;
  private isClaiming = false;

  constructor(
    private readonly pool: ServicePool,
    private readonly runner: IngestionRunner,
    private readonly settings: Settings,
    @Inject(LOG) private readonly log: Logger,
    private readonly telemetry: Telemetry,
  ) {}

  onApplicationBootstrap(): void {
    if (this.settings.worker === 'off') return;
    this.timers = [setInterval(() => void this.wake(), pollEveryMs), setInterval(() => void this.beat(), heartbeatEveryMs)];
    for (const timer of this.timers) timer.unref();
    void this.wake();
  }

  /** Runs that were going on go back into the queue, for another worker or for this one when it is started again. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    for (const timer of this.timers) clearInterval(timer);
    const ended = Promise.all([...this.active].map(run => run.ended)).then(() => true);
    // A cancellation that arrives between two statements is lost, so it is sent until the runs have ended.
    for (let isOver = false; !isOver;) {
      await Promise.all([...this.active].map(run => this.interrupt(run)));
      isOver = await Promise.race([ended, sleep(interruptEveryMs, false)]);
    }
  }

  /** Looks for work now instead of at the next poll. Never rejects. */
  async wake(): Promise<void> {
    if (this.isStopping || this.isClaiming || this.settings.worker === 'off') return;
    this.isClaiming = true;
    try {
      while (this.active.size < maxConcurrentRuns && !this.isStopping) {
        const claimed = await this.claim();
        if (!claimed) break;
        this.start(claimed);
      }
    } catch (error) {
      this.log.warn({ cause: error }, 'Looking for ingestion runs failed');
    } finally {
      this.isClaiming = false;
    }
  }

  /** Renews the leases and learns of cancellations. Called by the timer; public so that a cancellation need not wait for it. */
  async beat(): Promise<void> {
    for (const run of this.active) {
      if (run.hasSucceeded) continue;
      try {
        const { rows } = await this.pool.query<{ cancel_requested: boolean }>(
          `UPDATE ingestion_runs SET lease_until = now() + make_interval(secs => $3)
           WHERE id = $1 AND lease_owner = $2 AND status = 'running' RETURNING cancel_requested`,
          [run.claimed.id, run.claimed.leaseOwner, leaseSeconds],
        );
        if (rows[0]?.cancel_requested) run.isCancelled = true;
        if (!rows[0] || rows[0].cancel_requested) await this.interrupt(run);
      } catch (error) {
        this.log.warn({ cause: error, run: run.claimed.id }, 'The lease of an ingestion run could not be renewed');
      }
    }
  }

  /** Users come in turn: first who has fewest runs going on in all processes, of these whose last one began the longest ago. */
  private async claim(): Promise<ActiveRun['claimed'] | null> {
    const leaseOwner = randomUUID();
    const { rows } = await this.pool.query<{
      id: number;
      job_id: number;
      attempt: number;
      cancel_requested: boolean;
      user_id: number;
      graph_id: number;
    }>(
      `UPDATE ingestion_runs AS run
       SET status = 'running', lease_owner = $1, lease_until = now() + make_interval(secs => $2), attempt = attempt + 1,
           started_at = coalesce(started_at, now())
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
       RETURNING run.id, run.job_id, run.attempt, run.cancel_requested, coalesce(run.requested_by, 0) AS user_id, job.graph_id`,
      [leaseOwner, leaseSeconds, this.withFullShare('userId'), this.withFullShare('graphId')],
    );
    const row = rows[0];
    if (!row) return null;
    const claimed = { id: row.id, jobId: row.job_id, leaseOwner, userId: row.user_id, graphId: row.graph_id };
    if (row.cancel_requested) await this.end(claimed, 'cancelled', null, null);
    else if (row.attempt > maxAttempts) await this.end(claimed, 'failed', null, tooManyAttempts(maxAttempts));
    else return claimed;
    return this.claim();
  }

  /** The users, or the graphs, who have as many runs going on here as one may have. */
  private withFullShare(of: keyof Requester): number[] {
    const going = [...this.active].map(run => run.claimed[of]);
    return going.filter(id => going.filter(other => other === id).length >= maxRunsOfOne);
  }

  private start(claimed: ActiveRun['claimed']): void {
    const run: ActiveRun = { claimed, backendPid: null, isCancelled: false, hasSucceeded: false, ended: Promise.resolve() };
    this.active.add(run);
    run.ended = this.work(run)
      .catch((error: unknown) => this.log.error({ cause: error, run: claimed.id }, 'An ingestion run could not be ended'))
      .finally(() => {
        this.active.delete(run);
        void this.wake();
      });
  }

  private async work(run: ActiveRun): Promise<void> {
    const report = {} as RunReport;
    try {
      const upkeep = await this.runner.run(run.claimed, report, pid => (run.backendPid = pid));
      run.hasSucceeded = true;
      this.telemetry.runEnded('succeeded');
      await this.keepUp(run, upkeep);
    } catch (error) {
      run.backendPid = null;
      if (error instanceof LeaseLostError) return;
      if (run.isCancelled) return this.end(run.claimed, 'cancelled', report, null);
      if (this.isStopping) return this.release(run.claimed, 1);
      // Not the run's doing: it is tried again, as often as a run that lost its worker.
      if (isDatabaseAway(error)) return this.release(run.claimed, 0);
      if (!(error instanceof RunFailure)) this.log.warn({ cause: error, run: run.claimed.id }, 'An ingestion run failed');
      await this.end(run.claimed, 'failed', report, toFailure(error));
    } finally {
      run.backendPid = null;
    }
  }

  /** Autovacuum comes for what could not be done now. Never rejects: the run has succeeded. */
  private async keepUp(run: ActiveRun, upkeep: Upkeep): Promise<void> {
    run.backendPid = null;
    if (this.isStopping) return;
    await this.runner
      .keepUp(run.claimed, upkeep, pid => (run.backendPid = pid))
      .catch((cause: unknown) => this.log.warn({ cause, run: run.claimed.id }, "The upkeep of a graph's tables was not completed"));
  }

  /** Stops the statement that the run is in; the run then ends by its error. */
  private async interrupt({ backendPid, claimed }: ActiveRun): Promise<void> {
    if (backendPid === null) return;
    await this.pool.query('SELECT pg_cancel_backend($1)', [backendPid]).catch((cause: unknown) => {
      // Without the database the statement is lost as well, and the lease ends by itself.
      this.log.warn({ cause, run: claimed.id }, 'The statement of an ingestion run could not be cancelled');
    });
  }

  private async end(
    claimed: ClaimedRun,
    status: 'failed' | 'cancelled',
    report: RunReport | null,
    failure: RunFailure | null,
  ): Promise<void> {
    this.telemetry.runEnded(status);
    const error = failure && { code: failure.code, detail: `${failure.text.zh} / ${failure.text.en}`, context: failure.context };
    await this.write(() =>
      this.pool.query(
        `UPDATE ingestion_runs
         SET status = $3, error = $4, report = coalesce($5, report), finished_at = clock_timestamp(), lease_until = NULL
         WHERE id = $1 AND lease_owner = $2 AND status = 'running'`,
        [claimed.id, claimed.leaseOwner, status, error && JSON.stringify(error), report && JSON.stringify(withoutWrites(report))],
      ),
    );
  }

  /** Back into the queue; `returned` attempts do not count. A run whose COMMIT got through without its answer has succeeded and stays so. */
  private async release(claimed: ClaimedRun, returned: 0 | 1): Promise<void> {
    let hasSucceeded = false;
    try {
      hasSucceeded = await this.write(async () => {
        const { rowCount } = await this.pool.query(
          `UPDATE ingestion_runs SET status = 'queued', phase = NULL, lease_owner = NULL, lease_until = NULL, attempt = attempt - $3
           WHERE id = $1 AND lease_owner = $2 AND status = 'running'`,
          [claimed.id, claimed.leaseOwner, returned],
        );
        const succeeded = "SELECT FROM ingestion_runs WHERE id = $1 AND lease_owner = $2 AND status = 'succeeded'";
        return rowCount === 0 && (await this.pool.query(succeeded, [claimed.id, claimed.leaseOwner])).rowCount === 1;
      });
    } finally {
      this.telemetry.runEnded(hasSucceeded ? 'succeeded' : 'released');
    }
  }

  /** How a run ended is written as soon as the database is back; only once the lease has ended by itself is it too late. */
  private async write<T>(statement: () => Promise<T>): Promise<T> {
    for (const leaseEnds = performance.now() + leaseSeconds * 1000; ;) {
      try {
        return await statement();
      } catch (error) {
        if (!isDatabaseAway(error) || this.isStopping || performance.now() > leaseEnds) throw error;
        await sleep(repeatWriteEveryMs);
      }
    }
  }
}

/** What a run that did not commit had written is not there. */
function withoutWrites(report: RunReport): RunReport {
  const none = { inserted: 0, updated: 0, unchanged: 0, deleted: 0 };
  return { ...report, targets: (report.targets ?? []).map(target => ({ ...target, ...none })), totals: { ...report.totals, ...none } };
}
