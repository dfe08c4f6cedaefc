import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { type RunFailure } from '../common/errors/run-failure.js';
import { logToken } from '../common/logging/log.js';
import { Settings } from '../config/settings.js';
import { DiskReserve } from '../database/disk-reserve.js';
import { type Interruption, LeasedWorker, maxAtOnce, type WorkEnd } from '../database/leased-worker.js';
import { ServicePool } from '../database/service-pool.js';
import { Telemetry } from '../telemetry/telemetry.service.js';
import { IngestionRunner } from './ingestion-runner.service.js';
import { toFailure } from './run/run-failure.js';
import { type RunReport, withoutWrites } from './run/run-report.js';
import { type ClaimedRun, RunsRepository } from './runs.repository.js';

/**
 * The most active runs of one user, and of one graph, in this worker. One place is left for other users and graphs, even if these runs take
 * long.
 */
const maxRunsOfOne = Math.max(1, maxAtOnce - 1);

/** Carries out the runs of jobs. Users take turns. */
@Injectable()
export class IngestionWorker extends LeasedWorker<ClaimedRun, RunReport> {
  private readonly listeners: ((graphId: number) => void)[] = [];

  constructor(
    pool: ServicePool,
    private readonly runs: RunsRepository,
    private readonly runner: IngestionRunner,
    settings: Settings,
    @Inject(logToken) log: Logger,
    disk: DiskReserve,
    private readonly telemetry: Telemetry,
  ) {
    super('ingestion run', pool, settings, log, disk);
  }

  onSucceeded(listener: (graphId: number) => void): void {
    this.listeners.push(listener);
  }

  onCommitting(listener: (graphId: number) => Promise<void>): void {
    this.runner.onCommitting(listener);
  }

  protected claimNext(going: ClaimedRun[]): ReturnType<RunsRepository['claim']> {
    return this.runs.claim({ users: withFullShare(going, 'userId'), graphs: withFullShare(going, 'graphId') });
  }

  protected renewLease(claimed: ClaimedRun): Promise<{ isCancelled: boolean } | null> {
    return this.runs.renewLease(claimed);
  }

  protected async carryOut(claimed: ClaimedRun, report: RunReport, interruption: Interruption): Promise<() => Promise<void>> {
    const upkeep = await this.runner.run(claimed, report, interruption);
    for (const told of this.listeners) told(claimed.graphId);
    // Autovacuum later does the upkeep that fails here.
    return () =>
      this.runner
        .keepUp(claimed, upkeep, interruption)
        .catch((cause: unknown) => this.log.warn({ cause, run: claimed.id }, "The upkeep of a graph's tables was not completed"));
  }

  protected async end(
    claimed: ClaimedRun,
    status: 'failed' | 'cancelled',
    report: RunReport | null,
    failure: RunFailure | null,
  ): Promise<void> {
    await this.write(() => this.runs.end(claimed, status, report && withoutWrites(report), failure));
  }

  protected release(claimed: ClaimedRun, returned: 0 | 1): Promise<'succeeded' | 'released'> {
    return this.write(() => this.runs.release(claimed, returned));
  }

  protected count(end: WorkEnd): void {
    this.telemetry.workEnded('run', end);
  }

  protected override idsOf({ id, jobId, graphId }: ClaimedRun): Record<string, number> {
    return { id, job: jobId, graph: graphId };
  }

  protected toFailure(error: unknown): RunFailure {
    return toFailure(error);
  }
}

/** The users, or the graphs, that have as many runs under way as allowed. */
function withFullShare(going: ClaimedRun[], of: 'userId' | 'graphId'): number[] {
  const ids = going.map(run => run[of]);
  return ids.filter(id => ids.filter(other => other === id).length >= maxRunsOfOne);
}
