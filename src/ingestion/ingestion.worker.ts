import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type Logger } from 'pino';
import { isDatabaseAway, LeaseLostError, RunCancelledError, RunFailure, tooManyAttempts } from '../common/errors/run-failure.js';
import { logToken } from '../common/logging/log.js';
import { Settings } from '../config/settings.js';
import { ServicePool } from '../database/service-pool.js';
import { Telemetry } from '../telemetry/telemetry.service.js';
import { IngestionRunner } from './ingestion-runner.service.js';
import { toFailure } from './run/run-failure.js';
import { type RunReport } from './run/run-report.js';
import { type Upkeep } from './run/table-upkeep.js';
import { type ClaimedRun, leaseSeconds, RunsRepository } from './runs.repository.js';

const pollEveryMs = 1_000;
const heartbeatEveryMs = 2_000;
const maxAttempts = 3;
const maxConcurrentRuns = 2;
/** The most places of this worker for one user and for one graph. The next one finds a place, however long those runs take. */
const maxRunsOfOne = Math.max(1, maxConcurrentRuns - 1);
const interruptEveryMs = 100;
const repeatWriteEveryMs = 200;

interface ActiveRun {
  claimed: ClaimedRun;
  backendPid: number | null;
  /** Stops what the run waits for outside of the database. */
  stop: AbortController;
  isCancelled: boolean;
  /** The run itself has ended, with its lease, but the upkeep of its tables goes on. */
  hasSucceeded: boolean;
  ended: Promise<void>;
}

/** Takes waiting runs and runs whose worker has died, users in turn, and keeps the lease on them while it works. */
@Injectable()
export class IngestionWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly active = new Set<ActiveRun>();
  private timers: NodeJS.Timeout[] = [];
  private isStopping = false;
  private isClaiming = false;

  constructor(
    private readonly pool: ServicePool,
    private readonly runs: RunsRepository,
    private readonly runner: IngestionRunner,
    private readonly settings: Settings,
    @Inject(logToken) private readonly log: Logger,
    private readonly telemetry: Telemetry,
  ) {}

  onApplicationBootstrap(): void {
    if (this.settings.worker === 'off') return;
    this.timers = [setInterval(() => void this.wake(), pollEveryMs), setInterval(() => void this.beat(), heartbeatEveryMs)];
    for (const timer of this.timers) timer.unref();
    void this.wake();
  }

  /** Puts running runs back into the queue, for another worker or for this one after a restart. */
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

  /** Renews the leases and reads cancellations. The timer calls it; it is public so that a cancellation need not wait for the timer. */
  async beat(): Promise<void> {
    for (const run of this.active) {
      if (run.hasSucceeded) continue;
      try {
        const lease = await this.runs.renewLease(run.claimed);
        if (lease?.isCancelled) run.isCancelled = true;
        if (!lease) await this.interrupt(run, new LeaseLostError());
        else if (lease.isCancelled) await this.interrupt(run);
      } catch (error) {
        this.log.warn({ cause: error, run: run.claimed.id }, 'The lease of an ingestion run could not be renewed');
      }
    }
  }

  private async claim(): Promise<ClaimedRun | null> {
    const claim = await this.runs.claim({ users: this.withFullShare('userId'), graphs: this.withFullShare('graphId') });
    if (!claim) return null;
    if (claim.isCancelled) await this.end(claim.run, 'cancelled', null, null);
    else if (claim.attempt > maxAttempts) await this.end(claim.run, 'failed', null, tooManyAttempts(maxAttempts));
    else return claim.run;
    return this.claim();
  }

  /** The users, or the graphs, with as many active runs here as allowed. */
  private withFullShare(of: 'userId' | 'graphId'): number[] {
    const going = [...this.active].map(run => run.claimed[of]);
    return going.filter(id => going.filter(other => other === id).length >= maxRunsOfOne);
  }

  private start(claimed: ClaimedRun): void {
    const run: ActiveRun = {
      claimed,
      backendPid: null,
      stop: new AbortController(),
      isCancelled: false,
      hasSucceeded: false,
      ended: Promise.resolve(),
    };
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
      const upkeep = await this.runner.run(run.claimed, report, { onBackend: pid => (run.backendPid = pid), signal: run.stop.signal });
      run.hasSucceeded = true;
      this.telemetry.runEnded('succeeded');
      await this.keepUp(run, upkeep);
    } catch (error) {
      run.backendPid = null;
      if (error instanceof LeaseLostError) return;
      if (run.isCancelled) return this.end(run.claimed, 'cancelled', report, null);
      if (this.isStopping) return this.release(run.claimed, 1);
      // The run did not cause this, so it is tried again, as often as a run that lost its worker.
      if (isDatabaseAway(error)) return this.release(run.claimed, 0);
      if (!(error instanceof RunFailure)) this.log.warn({ cause: error, run: run.claimed.id }, 'An ingestion run failed');
      await this.end(run.claimed, 'failed', report, toFailure(error));
    } finally {
      run.backendPid = null;
    }
  }

  /** Autovacuum does the upkeep that fails now. Never rejects, because the run has succeeded. */
  private async keepUp(run: ActiveRun, upkeep: Upkeep): Promise<void> {
    run.backendPid = null;
    if (this.isStopping) return;
    await this.runner
      .keepUp(run.claimed, upkeep, pid => (run.backendPid = pid))
      .catch((cause: unknown) => this.log.warn({ cause, run: run.claimed.id }, "The upkeep of a graph's tables was not completed"));
  }

  /** Stops the current statement of a run, here and at its source. The run then ends with that error. */
  private async interrupt({ backendPid, claimed, stop }: ActiveRun, reason: Error = new RunCancelledError()): Promise<void> {
    stop.abort(reason);
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
    await this.write(() => this.runs.end(claimed, status, report && withoutWrites(report), failure));
  }

  /** Puts the run back into the queue; `returned` attempts do not count. */
  private async release(claimed: ClaimedRun, returned: 0 | 1): Promise<void> {
    let outcome: 'succeeded' | 'released' = 'released';
    try {
      outcome = await this.write(() => this.runs.release(claimed, returned));
    } finally {
      this.telemetry.runEnded(outcome);
    }
  }

  /** Writes the end of a run as soon as the database is back. It gives up only once the lease has ended by itself. */
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

/** Removes the counts of written rows: a run that did not commit has written nothing. */
function withoutWrites(report: RunReport): RunReport {
  const none = { inserted: 0, updated: 0, unchanged: 0, deleted: 0 };
  return { ...report, targets: (report.targets ?? []).map(target => ({ ...target, ...none })), totals: { ...report.totals, ...none } };
}
